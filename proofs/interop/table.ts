import { HANG_MS } from "../../scripts/hang-limit.ts";
import { type BehaviourName, behaviours } from "./behaviours.ts";
import { Bench } from "./bench.ts";
import type { Peer } from "./peer.ts";

/** The outcome of one behaviour beneath one peer. */
export type Cell = { peer: string; behaviour: BehaviourName } & (
  | { came: "through" }
  /** The peer's design forbids it, or another answers in its place: why, and how. */
  | { came: "forbidden"; why: string }
  | { came: "missed"; missing: string }
);

/** All behaviours beneath one peer, or those that are named. */
export async function cellsOf(peer: Peer, only?: readonly BehaviourName[]): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const { name, rules, check } of behaviours) {
    if (only !== undefined && !only.includes(name)) continue;
    const bench = await Bench.of(peer, rules?.());
    const missing = await inTime(() => check(bench)).catch((error) => `it threw: ${messageOf(error)}`);
    await bench.close();
    cells.push(cellOf(peer, name, missing));
  }
  await peer.close?.();
  return cells;
}

/** What is said to be forbidden and comes through all the same is a miss, too: of the table that says so. */
function cellOf({ name: peer, forbids }: Peer, behaviour: BehaviourName, missing: string | undefined): Cell {
  const why = forbids[behaviour];
  if (why === undefined)
    return missing === undefined
      ? { peer, behaviour, came: "through" }
      : { peer, behaviour, came: "missed", missing };
  return missing === undefined
    ? { peer, behaviour, came: "missed", missing: `it comes through, and is said not to: ${why}` }
    : { peer, behaviour, came: "forbidden", why };
}

const SIGNS = { through: "yes", forbidden: "—", missed: "MISS" };
const WIDTH = 32;

/** One row a behaviour, one column a peer; then why where something is forbidden, and every miss. */
export function printTable(cells: readonly Cell[], print: (line: string) => void): void {
  const peers = [...new Set(cells.map(({ peer }) => peer))];
  print([" ".repeat(WIDTH), ...peers.map((peer) => peer.padEnd(peer.length + 2))].join(""));
  for (const { name } of behaviours) {
    const row = peers.map((peer) => {
      const cell = cells.find((each) => each.peer === peer && each.behaviour === name);
      return (cell === undefined ? "" : SIGNS[cell.came]).padEnd(peer.length + 2);
    });
    if (row.some((sign) => sign.trim() !== "")) print(`${name.padEnd(WIDTH)}${row.join("")}`.trimEnd());
  }
  for (const cell of cells) {
    if (cell.came === "forbidden") print(`— ${cell.peer}, ${cell.behaviour}: ${cell.why}`);
    if (cell.came === "missed") print(`MISS ${cell.peer}, ${cell.behaviour}: ${cell.missing}`);
  }
}

async function inTime<Value>(run: () => Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came of it in ${HANG_MS / 1000} s`)), HANG_MS);
  });
  try {
    return await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function messageOf(error: unknown): string {
  const lines = (error instanceof Error && error.stack) || String(error);
  return lines.split("\n").slice(0, 3).join(" ").replace(/\s+/g, " ");
}
