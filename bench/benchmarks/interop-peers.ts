import type { Benchmark, Measured, Row, Table } from "../benchmark.ts";
import { compare } from "../harness.ts";
import type { Peer } from "../peers/peer.ts";
import { callsOf, FINAL, timesRan, trivial } from "../workload.ts";

const TURNS = 20;

/** A peer with its own tools, and with those of an executor. */
interface Pair {
  alone: Peer;
  beneath: Peer;
}

/** A loop that does little shows most of what is added to it. */
const PAIRS: Readonly<Record<string, { load(): Promise<Pair>; atMost: number }>> = {
  "OpenAI Agents": {
    atMost: 1.5,
    load: async () => ({
      alone: (await import("../peers/openai-agents.ts")).openaiAgents,
      beneath: (await import("../peers/beneath-openai-agents.ts")).beneathOpenaiAgents,
    }),
  },
  LangGraph: {
    atMost: 1.5,
    load: async () => ({
      alone: (await import("../peers/langgraph.ts")).langGraph,
      beneath: (await import("../peers/beneath-langgraph.ts")).beneathLangGraph,
    }),
  },
  Mastra: {
    atMost: 1.5,
    load: async () => ({
      alone: (await import("../peers/mastra.ts")).mastra,
      beneath: (await import("../peers/beneath-mastra.ts")).beneathMastra,
    }),
  },
  pi: {
    atMost: 2,
    load: async () => ({
      alone: (await import("../peers/pi.ts")).pi,
      beneath: (await import("../peers/beneath-pi.ts")).beneathPi,
    }),
  },
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

async function measure(load: () => Promise<Pair>): Promise<Measured> {
  const { alone, beneath } = await load();
  return compare({ alone: conversations(alone), beneath: conversations(beneath) });
}

export const peersCases: Benchmark["cases"] = Object.fromEntries(
  Object.entries(PAIRS).map(([name, { load }]) => [name, () => measure(load)]),
);

export const peersTable: Table = {
  title: `Beneath other peers, ${TURNS} turns of one call with 2 fields: to the peer alone, per call`,
  rows: Object.entries(PAIRS).map(
    ([label, { atMost }]): Row => ({
      label,
      value: (round) => round(label).beneath ?? Number.NaN,
      goal: { atMost },
    }),
  ),
};
