import type { Benchmark, Measured, Round, Row } from "../benchmark.ts";
import { compare, cpuTime, liveHeap, median } from "../harness.ts";
import type { Peer, Play } from "../peers/peer.ts";
import { raw } from "../peers/raw.ts";
import { callsOf, FINAL, type Script, timesRan, trivial, twelveFields } from "../workload.ts";

const LENGTHS = [100, 1_000, 2_000] as const;
const WIDTH = 64;

/** CPU ms after which a conversation is brought to its end. What it took per turn is then a lower bound. */
const LIMIT_MS = 20_000;

/** The same for the conversation in which the live heap is looked at. */
const LIVE_LIMIT_MS = 5_000;

const MB = 1e6;

const OURS = "Toolrig";
const RUNTIMES: Readonly<Record<string, () => Promise<Peer>>> = {
  [OURS]: async () => (await import("../peers/toolrig.ts")).toolrig,
  "pi-agent-core": async () => (await import("../peers/pi.ts")).pi,
  "AI SDK": async () => (await import("../peers/ai-sdk.ts")).aiSdk,
  LangGraph: async () => (await import("../peers/langgraph.ts")).langGraph,
  "OpenAI Agents": async () => (await import("../peers/openai-agents.ts")).openaiAgents,
  Mastra: async () => (await import("../peers/mastra.ts")).mastra,
};
const NAMES = Object.keys(RUNTIMES);
const PEERS = NAMES.filter((name) => name !== OURS);

/** A conversation of `turns` turns with one call each; `onTurn` may end it early by answering false. */
function conversation(turns: number, onTurn: (turn: number) => boolean = () => true): Script {
  let turn = 0;
  return () => {
    if (turn >= turns || !onTurn(turn)) return FINAL;
    return { calls: callsOf(trivial, 1, turn++) };
  };
}

/** Plays one conversation to its end, or to the limit. Answers how many turns it had. */
async function converse(play: Play, turns: number): Promise<number> {
  const before = timesRan();
  const start = cpuTime();
  await play(conversation(turns, (turn) => turn % 50 !== 0 || cpuTime() - start < LIMIT_MS));
  return timesRan() - before;
}

/** CPU ms per turn, and the turns that a conversation reached. Quick ones are held again until there were enough turns. */
async function perTurn(
  play: Play,
  turns: number,
  enough = 2_000,
): Promise<{ cost: number; reached: number }> {
  const start = cpuTime();
  let total = 0;
  let reached = turns;
  for (let held = 0; held === 0 || (total < enough && cpuTime() - start < 100); held++) {
    reached = await converse(play, turns);
    total += reached;
  }
  return { cost: (cpuTime() - start) / total, reached };
}

async function warmUp(play: Play): Promise<void> {
  const start = cpuTime();
  do await converse(play, 100);
  while (cpuTime() - start < 600);
}

/** The cost of a turn in conversations of each length, in units of a raw loop's turn. */
async function measureTurns(load: () => Promise<Peer>): Promise<Measured> {
  const play = (await load())([trivial, twelveFields]);
  const bare = raw([trivial, twelveFields]);
  await warmUp(play);
  await warmUp(bare);
  const measured: Record<string, number> = {};
  for (const turns of LENGTHS) {
    globalThis.gc?.();
    const ratios: number[] = [];
    const start = cpuTime();
    do {
      const unit = (await perTurn(bare, 1_000, 20_000)).cost;
      const { cost: each, reached } = await perTurn(play, turns);
      ratios.push(each / unit);
      measured[`reached ${turns}`] = reached;
    } while (ratios.length < 9 && cpuTime() - start < 1_000);
    measured[turns] = median(ratios);
  }
  return measured;
}

/** A turn of 64 calls and the answer after it, in units of the raw loop's. */
async function measureParallel(load: () => Promise<Peer>): Promise<Measured> {
  const all = { calls: callsOf(twelveFields, WIDTH) };
  const turn = (play: Play) => async (count: number) => {
    const before = timesRan();
    for (let index = 0; index < count; index++) {
      let asked = false;
      await play(() => {
        if (asked) return FINAL;
        asked = true;
        return all;
      });
    }
    if (timesRan() - before !== count * WIDTH) throw new Error("Not every call ran.");
  };
  const { parallel } = await compare({
    raw: turn(raw([trivial, twelveFields])),
    parallel: turn((await load())([trivial, twelveFields])),
  });
  return { parallel: parallel! };
}

/** MB that a conversation of 1,000 turns takes above what the warm process had, and MB that its history keeps alive. */
async function measureMemory(load: () => Promise<Peer>): Promise<Measured> {
  const play = (await load())([trivial, twelveFields]);
  await warmUp(play);
  const idle = liveHeap();
  const idleRss = process.memoryUsage.rss();
  const reached = await converse(play, 1_000);
  const peak = (process.resourceUsage().maxRSS * 1024 - idleRss) / MB;
  const live: Record<string, number> = {};
  const start = cpuTime();
  const script = conversation(2_001, (turn) => {
    if (turn === 250 || turn === 2_000) live[`live ${turn}`] = (liveHeap() - idle) / MB;
    return turn <= 250 || turn % 50 !== 0 || cpuTime() - start < LIVE_LIMIT_MS;
  });
  await play(script);
  return { peak, reached, ...live };
}

function casesOf(name: string): [string, () => Promise<Measured>][] {
  const load = RUNTIMES[name]!;
  return [
    [`${name}, turns`, () => measureTurns(load)],
    [`${name}, parallel`, () => measureParallel(load)],
    [`${name}, memory`, () => measureMemory(load)],
  ];
}

const turn = (round: Round, name: string, turns: number) => round(`${name}, turns`)[turns]!;
const parallel = (round: Round, name: string) => round(`${name}, parallel`).parallel!;
const cut = (name: string, turns: number) => (round: Round) =>
  round(`${name}, turns`)[`reached ${turns}`]! < turns;

function turnRows(turns: number): Row[] {
  return [
    { label: "Toolrig to raw", value: (round) => turn(round, OURS, turns) },
    ...PEERS.map(
      (name): Row => ({
        label: `${name} to Toolrig`,
        value: (round) => turn(round, name, turns) / turn(round, OURS, turns),
        bound: cut(name, turns),
        ...(turns === 1_000 && { goal: { atLeast: name === "AI SDK" ? 30 : 5 } }),
      }),
    ),
  ];
}

const memory = (round: Round, name: string) => round(`${name}, memory`);
const growth = (round: Round, name: string) => turn(round, name, 2_000) / turn(round, name, 100);

export const benchmark: Benchmark = {
  rounds: 3,
  cases: Object.fromEntries(NAMES.flatMap(casesOf)),
  tables: [
    ...LENGTHS.map((turns) => ({
      title: `One call a turn, ${turns.toLocaleString("en-US")} turns, per turn`,
      rows: turnRows(turns),
    })),
    {
      title: "Growth of a turn's cost, 100 to 2,000 turns",
      rows: [
        { label: OURS, value: (round) => growth(round, OURS), goal: { atMost: 1.2 } },
        ...PEERS.map(
          (name): Row => ({ label: name, value: (round) => growth(round, name), bound: cut(name, 2_000) }),
        ),
      ],
    },
    {
      title: `One turn of ${WIDTH} calls with 12 fields, per call`,
      rows: [
        { label: "Toolrig to raw", value: (round) => parallel(round, OURS), goal: { atMost: 4 } },
        ...PEERS.map(
          (name): Row => ({
            label: `${name} to Toolrig`,
            value: (round) => parallel(round, name) / parallel(round, OURS),
          }),
        ),
      ],
    },
    {
      title: "Memory",
      rows: [
        {
          label: "Toolrig, live heap per turn, 2,000 turns to 250",
          value: (round) => memory(round, OURS)["live 2000"]! / 8 / memory(round, OURS)["live 250"]!,
          goal: { atMost: 1.2 },
        },
        ...NAMES.map(
          (name): Row => ({
            label: `${name}, live heap after 250 turns`,
            value: (round) => memory(round, name)["live 250"]!,
            unit: " MB",
          }),
        ),
        ...NAMES.map(
          (name): Row => ({
            label: `${name}, peak of 1,000 turns above idle`,
            value: (round) => memory(round, name).peak!,
            unit: " MB",
            bound: (round) => memory(round, name).reached! < 1_000,
          }),
        ),
      ],
    },
  ],
};
