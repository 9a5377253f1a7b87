import type { Benchmark, Measured, Round, Row } from "../benchmark.ts";
import { compare } from "../harness.ts";
import { aiSdk } from "../peers/ai-sdk.ts";
import { beneathAiSdk } from "../peers/beneath-ai-sdk.ts";
import type { Peer, Play } from "../peers/peer.ts";
import { raw } from "../peers/raw.ts";
import { callsOf, FINAL, type Task, timesRan, trivial, twelveFields } from "../workload.ts";
import { peersCases, peersTable } from "./interop-peers.ts";

const TURNS = 20;
const WIDTH = 64;

const ALONE = "the AI SDK alone";
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

/** What a call costs, in units of a raw loop's: each way in a process of its own, as a program has one of them. */
async function measure(peer: Peer, { task, turns, width }: Workload): Promise<Measured> {
  const subject = (each: Peer) => conversations(each([task]), task, turns, width);
  // A loop and a pipeline are much code: both are compiled before anything is measured.
  const subjects = { raw: subject(raw), it: subject(peer) };
  const { it = Number.NaN } = await compare(subjects, { warmMs: 2_000, sliceMs: 40 });
  return { it };
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

const cost = (round: Round, workload: string, label: string) =>
  round(caseOf(workload, label)).it ?? Number.NaN;

const caseOf = (workload: string, label: string) => `${workload}, ${label}`;

export const benchmark: Benchmark = {
  rounds: 3,
  cases: {
    ...Object.fromEntries(
      Object.entries(WORKLOADS).flatMap(([name, workload]) =>
        Object.entries({ [ALONE]: aiSdk, ...BENEATH }).map(([label, peer]) => [
          caseOf(name, label),
          () => measure(peer, workload),
        ]),
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
          value: (round) => cost(round, name, label) / cost(round, name, ALONE),
          // What the ledger costs has no counterpart in the AI SDK alone.
          ...(label === READS && { goal: { atMost: 1.3 } }),
        }),
      ),
    })),
    peersTable,
  ],
};
