import type { Benchmark, Measured, Row } from "../benchmark.ts";
import { compare } from "../harness.ts";
import { aiSdk } from "../peers/ai-sdk.ts";
import { beneathAiSdk } from "../peers/beneath-ai-sdk.ts";
import type { Peer, Play } from "../peers/peer.ts";
import { callsOf, FINAL, type Task, timesRan, trivial, twelveFields } from "../workload.ts";
import { peersCases, peersTable } from "./interop-peers.ts";

const TURNS = 20;
const WIDTH = 64;

const READS = "tools that read";
const BENEATH = {
  [READS]: beneathAiSdk({ sideEffects: "read", raw: false }),
  "tools that write, with the ledger": beneathAiSdk({ sideEffects: "write", raw: false }),
  "tools that write, and the model's own text": beneathAiSdk({ sideEffects: "write", raw: true }),
} satisfies Record<string, Peer>;

/** `turns` turns of `width` calls each, as often as asked. */
function conversations(play: Play, task: Task, turns: number, width: number) {
  return async (count: number) => {
    const before = timesRan();
    for (let index = 0; index < count; index++) {
      let turn = 0;
      await play(() => (turn < turns ? { calls: callsOf(task, width, turn++ * width) } : FINAL));
    }
    const expected = count * turns * width;
    if (timesRan() - before !== expected) throw new Error(`${timesRan() - before} calls of ${expected} ran.`);
  };
}

/** What calls beneath the AI SDK cost, next to its own execution of the same tools. */
function measure(peer: Peer, { task, turns, width }: Workload): Promise<Measured> {
  const subject = (each: Peer) => conversations(each([task]), task, turns, width);
  return compare({ alone: subject(aiSdk), beneath: subject(peer) });
}

interface Workload {
  task: Task;
  turns: number;
  width: number;
}

const WORKLOADS: Readonly<Record<string, Workload>> = {
  [`${TURNS} turns of one call with 2 fields`]: { task: trivial, turns: TURNS, width: 1 },
  [`one turn of ${WIDTH} calls with 12 fields`]: { task: twelveFields, turns: 1, width: WIDTH },
};

const caseOf = (workload: string, label: string) => `${workload}, ${label}`;

export const benchmark: Benchmark = {
  rounds: 3,
  // A process for each: what one way of running tools leaves behind costs no other.
  cases: {
    ...Object.fromEntries(
      Object.entries(WORKLOADS).flatMap(([name, workload]) =>
        Object.entries(BENEATH).map(([label, peer]) => [caseOf(name, label), () => measure(peer, workload)]),
      ),
    ),
    ...peersCases,
  },
  tables: [
    ...Object.keys(WORKLOADS).map((name) => ({
      title: `Beneath the AI SDK, ${name}: to the AI SDK alone, per call`,
      rows: Object.keys(BENEATH).map(
        (label): Row => ({
          label,
          value: (round) => round(caseOf(name, label)).beneath ?? Number.NaN,
          // What the ledger costs has no counterpart in the AI SDK alone.
          ...(label === READS && { goal: { atMost: 1.3 } }),
        }),
      ),
    })),
    peersTable,
  ],
};
