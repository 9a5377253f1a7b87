import type { Benchmark, Measured, Row } from "../benchmark.ts";
import { compare } from "../harness.ts";
import { beneathLangGraph, langGraph } from "../peers/langgraph.ts";
import { beneathMastra, mastra } from "../peers/mastra.ts";
import { beneathOpenaiAgents, openaiAgents } from "../peers/openai-agents.ts";
import type { Peer } from "../peers/peer.ts";
import { beneathPi, pi } from "../peers/pi.ts";
import { callsOf, FINAL, timesRan, trivial } from "../workload.ts";

const TURNS = 20;

/** A peer with its own tools, and with those of an executor. A loop that does little shows most of what is added to it. */
const PAIRS: Readonly<Record<string, { alone: Peer; beneath: Peer; atMost: number }>> = {
  "OpenAI Agents": { alone: openaiAgents, beneath: beneathOpenaiAgents, atMost: 1.5 },
  LangGraph: { alone: langGraph, beneath: beneathLangGraph, atMost: 1.5 },
  Mastra: { alone: mastra, beneath: beneathMastra, atMost: 1.5 },
  pi: { alone: pi, beneath: beneathPi, atMost: 2 },
};

/** Conversations of `TURNS` turns of one call each, as often as asked. */
function conversations(peer: Peer) {
  const play = peer([trivial]);
  return async (count: number) => {
    const before = timesRan();
    for (let index = 0; index < count; index++) {
      let turn = 0;
      await play(() => (turn < TURNS ? { calls: callsOf(trivial, 1, turn++) } : FINAL));
    }
    const expected = count * TURNS;
    if (timesRan() - before !== expected) throw new Error(`${timesRan() - before} calls of ${expected} ran.`);
  };
}

const measure = ({ alone, beneath }: { alone: Peer; beneath: Peer }): Promise<Measured> =>
  compare({ alone: conversations(alone), beneath: conversations(beneath) });

export const peersCases: Benchmark["cases"] = Object.fromEntries(
  Object.entries(PAIRS).map(([name, pair]) => [name, () => measure(pair)]),
);

export const peersTable: Benchmark["tables"][number] = {
  title: `Beneath other peers, ${TURNS} turns of one call with 2 fields: to the peer alone, per call`,
  rows: Object.entries(PAIRS).map(
    ([label, { atMost }]): Row => ({
      label,
      value: (round) => round(label).beneath ?? Number.NaN,
      goal: { atMost },
    }),
  ),
};
