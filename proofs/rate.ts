/**
 * A tool's rate holds across four workers, is used, and is shared, while callers want five times as much: no second has
 * more starts than the limit, no caller is kept waiting by the others, and calls that were given up use up nothing.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolResult } from "@toolrig/core";
import { NatsExecutor } from "@toolrig/nats";
import { startNats } from "../scripts/start-nats.ts";
import { Crew } from "./fleet/crew.ts";
import type { Proof } from "./proof.ts";

const LIMIT = 100;
const WORKERS = 4;
const WINDOW_MS = 1_000;
const TOLERANCE = 1.05;
/** Of what the limit allows, over the whole time. In a few seconds a busy machine makes more of a difference. */
const USED = { full: 0.95, quick: 0.8 };
const GREEDY = 4;
/** How many times the limit the greedy callers want together: each of them more than there is. */
const DEMAND = 5;
const TICK_MS = 20;
/** Of an equal share, what the least served of the greedy callers gets. */
const SHARE = 0.8;

interface Served {
  ok: number;
  /** Given up, by their caller or because nobody took them. */
  dropped: number;
  other: string[];
}

export const proof: Proof = {
  name: "rate",
  claim: `Wanted ${DEMAND} times over, a rate limit holds across four workers in every one-second window, within 5%, is used to 95%, and every caller is served in turn`,
  async run(mode, print) {
    const seconds = mode === "full" ? 60 : 6;
    const folder = mkdtempSync(join(tmpdir(), "toolrig-rate-"));
    const server = await startNats();
    const crew = new Crew(server.url, folder, { RATE: String(LIMIT) });
    const nats = { servers: server.url };
    const fleet = { ackWait: "1s" } as const;
    const callers: NatsExecutor[] = [];
    try {
      await crew.resize(WORKERS);
      for (let index = 0; index <= GREEDY; index++)
        callers.push(await NatsExecutor.connect({ nats, fleet, queueTimeout: "5s" }));
      const [modest, ...greedy] = callers as [NatsExecutor, ...NatsExecutor[]];
      const from = performance.timeOrigin + performance.now();
      const until = Date.now() + seconds * 1_000;
      const [patient, ...served] = await Promise.all([
        oneAtATime(modest, until),
        ...greedy.map((caller) => flood(caller, until)),
      ]);
      const starts = startsIn(folder).filter((at) => at <= from + seconds * 1_000);
      const worst = worstWindow(startsIn(folder));
      const all = [patient, ...served];
      const used = starts.length / (LIMIT * seconds);
      const fewest = Math.min(...served.map(({ ok }) => ok));
      const mean = served.reduce((sum, { ok }) => sum + ok, 0) / GREEDY;
      const asked = all.reduce((sum, { ok, dropped, other }) => sum + ok + dropped + other.length, 0);
      print(
        `${asked} calls wanted in ${seconds} s at a limit of ${LIMIT} a second; ${starts.length} started`,
      );
      print(`used: ${(used * 100).toFixed(1)}% of the limit; worst window of one second: ${worst} starts`);
      print(`served, of the greedy callers: ${served.map(({ ok }) => ok).join(", ")}`);
      print(`the caller with one call at a time: ${patient.ok} served, ${patient.dropped} given up`);
      const odd = all.flatMap(({ other }) => other);
      if (odd.length > 0) print(`answered otherwise: ${[...new Set(odd)].join(", ")}`);
      const checks = [
        worst <= LIMIT * TOLERANCE,
        used >= USED[mode],
        fewest >= SHARE * mean,
        patient.ok > 0 && patient.dropped === 0,
        odd.length === 0,
      ];
      const passed = checks.filter(Boolean).length;
      return { passed, failed: checks.length - passed };
    } finally {
      await Promise.all(callers.map((caller) => caller.close()));
      await crew.dismiss();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function oneAtATime(caller: NatsExecutor, until: number): Promise<Served> {
  const served: Served = { ok: 0, dropped: 0, other: [] };
  while (Date.now() < until) count(served, await caller.call({ id: "c", name: "limited", arguments: {} }));
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

function startsIn(folder: string): number[] {
  const lines = readFileSync(join(folder, "starts"), "utf8").split("\n").filter(Boolean);
  return lines.map(Number).sort((a, b) => a - b);
}

function worstWindow(starts: readonly number[]): number {
  let worst = 0;
  let first = 0;
  for (const [index, at] of starts.entries()) {
    while (at - starts[first]! >= WINDOW_MS) first += 1;
    worst = Math.max(worst, index - first + 1);
  }
  return worst;
}
