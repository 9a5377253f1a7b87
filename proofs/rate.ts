/**
 * A tool's rate holds across four workers, is used, and is shared, while callers want five times as much: no second has
 * more starts than the limit, no caller is kept waiting by the others, and calls that were given up use up nothing.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolResult } from "@toolrig/core";
import { NatsExecutor } from "@toolrig/nats";
import { HANG_MS } from "../scripts/hang-limit.ts";
import { startNats } from "../scripts/start-nats.ts";
import { Crew } from "./fleet/crew.ts";
import type { Proof } from "./proof.ts";

const LIMIT = 100;
const WORKERS = 4;
const WINDOW_MS = 1_000;
const TOLERANCE = 1.05;
/** Of what the limit allows, over the whole time. */
const USED = 0.95;
const GREEDY = 4;
/** How many times the limit the greedy callers want together: each of them more than there is. */
const DEMAND = 5;
const SECONDS = 60;
const TICK_MS = 20;
/** Of an equal share, what the least served of the greedy callers gets. */
const SHARE = 0.8;
/** Calls that each greedy caller makes at once in the quick version. */
const FLOOD = 150;
/** How many of them are out. Calls start in the order in which they were sent, so that these are its head start. */
const IN_FLIGHT = 10;

interface Served {
  ok: number;
  /** Given up, by their caller or because nobody took them. */
  dropped: number;
  other: string[];
}

/** When a call of whom started. */
interface Start {
  at: number;
  by: string;
}

/** What callers got, and a row for each thing that must hold. */
interface Seen {
  served: Served[];
  checks: [what: string, holds: boolean][];
}

export const proof: Proof = {
  name: "rate",
  claim: `Wanted ${DEMAND} times over, a rate limit holds across four workers in every one-second window, within 5%, is used to 95%, and every caller is served in turn`,
  async run(mode, print) {
    const folder = mkdtempSync(join(tmpdir(), "toolrig-rate-"));
    const server = await startNats();
    const crew = new Crew(server.url, folder, { RATE: String(LIMIT) });
    const nats = { servers: server.url };
    const fleet = { ackWait: "1s" } as const;
    const patience =
      mode === "full" ? { queueTimeout: "5s" as const } : { queueTimeout: HANG_MS, maxInFlight: IN_FLIGHT };
    const callers: NatsExecutor[] = [];
    try {
      await crew.resize(WORKERS);
      for (let index = 0; index <= GREEDY; index++)
        callers.push(await NatsExecutor.connect({ nats, fleet, ...patience }));
      const [modest, ...greedy] = callers as [NatsExecutor, ...NatsExecutor[]];
      const { served, checks } = await (mode === "full" ? forAWhile : counted)(modest, greedy, folder);
      const worst = worstWindow(startsIn(folder));
      const [patient, ...others] = served as [Served, ...Served[]];
      print(`${startsIn(folder).length} calls started; worst window of one second: ${worst} starts`);
      print(`served, of the greedy callers: ${others.map(({ ok }) => ok).join(", ")}`);
      print(`the caller with one call at a time: ${patient.ok} served, ${patient.dropped} given up`);
      const odd = served.flatMap(({ other }) => other);
      checks.push(
        [`no window has more than ${LIMIT * TOLERANCE} starts`, worst <= LIMIT * TOLERANCE],
        ["the caller with one call at a time is served", patient.ok > 0 && patient.dropped === 0],
        [`nothing is answered otherwise: ${[...new Set(odd)].join(", ") || "nothing"}`, odd.length === 0],
      );
      for (const [what, holds] of checks) print(`${holds ? "held" : "MISS"}  ${what}`);
      const passed = checks.filter(([, holds]) => holds).length;
      return { passed, failed: checks.length - passed };
    } finally {
      await Promise.all(callers.map((caller) => caller.close()));
      await crew.dismiss();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** The full version: everybody calls for a minute, and what the limit allows is used. */
async function forAWhile(
  modest: NatsExecutor,
  greedy: readonly NatsExecutor[],
  folder: string,
): Promise<Seen> {
  const from = performance.timeOrigin + performance.now();
  const until = Date.now() + SECONDS * 1_000;
  const served = await Promise.all([
    oneAtATime(modest, () => Date.now() < until),
    ...greedy.map((caller) => flood(caller, until)),
  ]);
  const started = startsIn(folder).filter(({ at }) => at <= from + SECONDS * 1_000).length;
  const used = started / (LIMIT * SECONDS);
  const [, ...oks] = served.map(({ ok }) => ok);
  const mean = oks.reduce((sum, ok) => sum + ok, 0) / GREEDY;
  return {
    served,
    checks: [
      [`${(used * 100).toFixed(1)}% of the limit is used`, used >= USED],
      ["every greedy caller gets its share", Math.min(...oks) >= SHARE * mean],
    ],
  };
}

/**
 * The quick version runs beside other work, so that nothing in it depends on time: a number of calls, and the order in which they
 * start.
 */
async function counted(modest: NatsExecutor, greedy: readonly NatsExecutor[], folder: string): Promise<Seen> {
  let over = false;
  const flooding = Promise.all(greedy.map((caller, index) => floodOf(caller, `greedy ${index}`)));
  const [patient, served] = await Promise.all([
    oneAtATime(modest, () => !over),
    flooding.finally(() => {
      over = true;
    }),
  ]);
  const order = startsIn(folder).filter(({ by }) => by !== PATIENT);
  // Between the quarter in which they begin one after the other and the one in which they end.
  const middle = order.slice(order.length / 4, (order.length * 3) / 4);
  const counts = greedy.map((_, index) => middle.filter(({ by }) => by === `greedy ${index}`).length);
  return {
    served: [patient, ...served],
    checks: [
      [`all ${GREEDY * FLOOD} calls are served`, served.every(({ ok }) => ok === FLOOD)],
      [
        `of ${middle.length} starts in the middle every greedy caller has its share: ${counts.join(", ")}`,
        Math.min(...counts) >= (SHARE * middle.length) / GREEDY,
      ],
    ],
  };
}

const PATIENT = "patient";

async function oneAtATime(caller: NatsExecutor, goesOn: () => boolean): Promise<Served> {
  const served: Served = { ok: 0, dropped: 0, other: [] };
  const call = { id: "c", name: "limited", arguments: { by: PATIENT } };
  while (goesOn()) count(served, await caller.call(call));
  return served;
}

/** All calls at once. */
async function floodOf(caller: NatsExecutor, by: string): Promise<Served> {
  const served: Served = { ok: 0, dropped: 0, other: [] };
  const call = { id: "c", name: "limited", arguments: { by } };
  const calls = Array.from({ length: FLOOD }, () => caller.call(call));
  for (const result of await Promise.all(calls)) count(served, result);
  return served;
}

/** Calls at a pace of its own, however many wait, and gives up what waits at the end. */
async function flood(caller: NatsExecutor, until: number): Promise<Served> {
  const served: Served = { ok: 0, dropped: 0, other: [] };
  const end = new AbortController();
  const calls: Promise<void>[] = [];
  const perMs = (LIMIT * DEMAND) / 1_000 / GREEDY;
  const since = Date.now();
  for (let made = 0; Date.now() < until; ) {
    for (; made < (Date.now() - since) * perMs; made++) {
      const call = caller.call({ id: "c", name: "limited", arguments: {} }, { signal: end.signal });
      calls.push(call.then((result) => count(served, result)));
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  end.abort();
  await Promise.all(calls);
  return served;
}

function count(served: Served, { failure }: ToolResult): void {
  const code = failure?.code;
  if (code === undefined) served.ok += 1;
  else if (code === "TOOL_CANCELLED" || code === "TOOL_UNAVAILABLE" || code === "TOOL_RATE_LIMITED")
    served.dropped += 1;
  else served.other.push(code);
}

/** In the order of time. */
function startsIn(folder: string): Start[] {
  const lines = readFileSync(join(folder, "starts"), "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Start).sort((a, b) => a.at - b.at);
}

function worstWindow(starts: readonly Start[]): number {
  let worst = 0;
  let first = 0;
  for (const [index, { at }] of starts.entries()) {
    while (at - starts[first]!.at >= WINDOW_MS) first += 1;
    worst = Math.max(worst, index - first + 1);
  }
  return worst;
}
