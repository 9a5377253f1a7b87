/** How much the server costs over a bare handler, and what becomes of calls when there are too many. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hammer, post, type Tally } from "./load/client.ts";
import type { Proof, ProofMode, Verdict } from "./proof.ts";

const CONNECTIONS = 64;
const LEAST_RATIO = 0.4;
const CALL = post("/api/v1/calls", { name: "add", arguments: { a: 1, b: 2 } });
/** Ten times as many as there are places for, each of which takes as long as this. */
const PLACES = 20;
const WAIT_MS = 100;

interface Child {
  port: number;
  /** What a server over a rig knows at the end. */
  stop(): Promise<{ records: number; recordsDropped: number }>;
}

export const proof: Proof = {
  name: "load",
  claim:
    "Over HTTP, recorded calls run at no less than 0.4 of a bare handler's rate; too many are shed with 503, and none that was accepted is lost",

  async run(mode, print) {
    const verdicts = [await ratio(mode, print), await overload(mode, print)];
    return verdicts.reduce((sum, { passed, failed }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
    }));
  },
};

/** Both are up and warm, and take many short turns, so that whatever else the machine does is shared. */
async function ratio(mode: ProofMode, print: (line: string) => void): Promise<Verdict> {
  const bare = await start("bare-server.ts");
  const served = await start("rig-server.ts", "256", "256");
  const sums = { bare: { accepted: 0, seconds: 0 }, served: { accepted: 0, seconds: 0 } };
  const rounds = mode === "full" ? 40 : 4;
  const ms = 300;
  let accepted = 0;
  let p99 = 0;
  for (let round = -1; round < rounds; round++) {
    // The first round warms both up.
    const length = round < 0 ? rounds * 100 : ms;
    const one = await hammer(bare.port, { connections: CONNECTIONS, ms: length, request: () => CALL });
    const other = await hammer(served.port, { connections: CONNECTIONS, ms: length, request: () => CALL });
    accepted += other.accepted;
    if (round < 0) continue;
    add(sums.bare, one);
    add(sums.served, other);
    p99 = Math.max(p99, other.p99);
  }
  await bare.stop();
  const { records, recordsDropped } = await served.stop();
  const found = rateOf(sums.served) / rateOf(sums.bare);
  print(
    `${CONNECTIONS} connections: ${Math.round(rateOf(sums.bare))} requests/s bare, ${Math.round(rateOf(sums.served))} served and recorded, p99 ${Math.round(p99)} ms`,
  );
  print(`ratio ${found.toFixed(2)}; at least ${LEAST_RATIO}`);
  print(`${accepted} calls answered, ${records} recorded, ${recordsDropped} records dropped`);
  // Quick runs beside other tests, where threads that write records have no core of their own.
  const isFast = mode === "quick" || found >= LEAST_RATIO;
  const isWhole = records === accepted && recordsDropped === 0;
  return { passed: Number(isFast) + Number(isWhole), failed: Number(!isFast) + Number(!isWhole) };
}

/** Ten times as many callers as the server has places, for calls that take a while. */
async function overload(mode: ProofMode, print: (line: string) => void): Promise<Verdict> {
  const served = await start("rig-server.ts", String(PLACES), String(PLACES));
  const request = post("/api/v1/calls", { name: "wait", arguments: { ms: WAIT_MS } });
  const reading = readsDuring(served.port);
  const tally = await hammer(served.port, {
    connections: 10 * PLACES,
    ms: mode === "full" ? 10_000 : 1_500,
    enough: (statuses) => (statuses["200"] ?? 0) >= PLACES && shedIn(statuses) > 0,
    request: () => request,
  });
  const reads = await reading.stop();
  const { records, recordsDropped } = await served.stop();
  const shed = shedIn(tally.statuses);
  const others = Object.entries(tally.statuses).filter(([status]) => !["200", "429", "503"].includes(status));
  print(
    `${10 * PLACES} callers on ${PLACES} places: ${tally.accepted} accepted, ${shed} shed, ${tally.broken} broken, ${reads.served} reads served (slowest ${Math.round(reads.slowestMs)} ms)`,
  );
  print(`${records} recorded, ${recordsDropped} records dropped`);
  const checks: [string, boolean][] = [
    ["some are shed", shed > 0],
    ["what is shed says when to come again", tally.unsaid === 0],
    ["nothing else is answered, nothing breaks", others.length === 0 && tally.broken === 0],
    ["as many are accepted as there are places for", tally.accepted >= PLACES],
    [
      "every accepted call has its record, and nothing that was shed",
      records === tally.accepted && recordsDropped === 0,
    ],
    ["reads are served all the while", reads.served > 0 && reads.refused === 0],
  ];
  for (const [what, holds] of checks) print(`${holds ? "held" : "MISS"}  ${what}`);
  const passed = checks.filter(([, holds]) => holds).length;
  return { passed, failed: checks.length - passed };
}

function shedIn(statuses: Record<string, number>): number {
  return (statuses["503"] ?? 0) + (statuses["429"] ?? 0);
}

function readsDuring(port: number) {
  let stopped = false;
  const reads = { served: 0, refused: 0, slowestMs: 0 };
  const reading = (async () => {
    while (!stopped) {
      const began = performance.now();
      const { ok } = await fetch(`http://127.0.0.1:${port}/api/v1/tools`);
      reads.slowestMs = Math.max(reads.slowestMs, performance.now() - began);
      if (ok) reads.served += 1;
      else reads.refused += 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return {
    async stop() {
      stopped = true;
      await reading;
      return reads;
    },
  };
}

async function start(file: string, ...args: string[]): Promise<Child> {
  const store = join(mkdtempSync(join(tmpdir(), "proof-load-")), "rig.db");
  const child = fork(join(import.meta.dirname, "load", file), [store, ...args], {
    execArgv: ["--conditions=@toolrig/source"],
  });
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return {
    port,
    async stop() {
      const told = once(child, "message");
      child.send("stop");
      const [last] = (await told) as [{ records: number; recordsDropped: number }];
      child.disconnect();
      return last;
    },
  };
}

type Sum = Pick<Tally, "accepted" | "seconds">;

function add(sum: Sum, { accepted, seconds }: Tally): void {
  sum.accepted += accepted;
  sum.seconds += seconds;
}

function rateOf({ accepted, seconds }: Sum): number {
  return accepted / seconds;
}
