import type { Benchmark, Measured, Table } from "../benchmark.ts";
import { type Peer, start } from "../mcp/client.ts";
import type { Kind, Transport } from "../mcp/kind.ts";

const SLICES = 12;
/** A server is warm when all of it is compiled, which takes one that does more longer. */
const WARM = 20_000;
/** CPU time is counted by the kernel's ticks, of 4 ms: a slice has to be long next to them for a tenth more to show. */
const LONG = 4_000;

/** Of one call: time by the clock, and CPU time of the server, in ms. */
interface Cost {
  wall: number;
  cpu: number;
}

async function costOf(peer: Peer, count: number, work: () => Promise<void>): Promise<Cost> {
  const cpu = await peer.cpu();
  const before = performance.now();
  await work();
  const wall = performance.now() - before;
  return { wall: wall / count, cpu: ((await peer.cpu()) - cpu) / count };
}

/** What disturbs a slice only makes it longer: of several, the lower quartile is nearest to the truth. */
function lowerQuartile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 2]!;
}

/** Both by turns: whatever slows the machine down for a while slows both. What the second costs, relative to the first. */
async function byTurns(
  [first, second]: readonly [Peer, Peer],
  count: number,
  work: (peer: Peer) => Promise<void>,
): Promise<Cost> {
  const costs: [Cost[], Cost[]] = [[], []];
  for (let slice = 0; slice < SLICES; slice++) {
    costs[0].push(await costOf(first, count, () => work(first)));
    costs[1].push(await costOf(second, count, () => work(second)));
  }
  const ratio = (of: keyof Cost) => {
    const [one, other] = costs.map((each) => lowerQuartile(each.map((cost) => cost[of])));
    return other! / one!;
  };
  return { wall: ratio("wall"), cpu: ratio("cpu") };
}

async function beside(bare: Kind, kind: Kind, transport: Transport, concurrency: number): Promise<Measured> {
  const peers = [await start(bare, transport), await start(kind, transport)] as const;
  const count = concurrency === 1 ? 400 : 1_500;
  for (const peer of peers) {
    await peer.run(WARM, 64);
    await peer.run(count, concurrency);
  }
  const { wall, cpu } = await byTurns(peers, count, (peer) => peer.run(count, concurrency));
  for (const peer of peers) peer.stop();
  return { throughput: 1 / wall, cpu };
}

/** What a call and a list cost with 5,000 tools, next to one. */
async function growth(): Promise<Measured> {
  const few = await start("toolrig", "stdio", 1);
  const many = await start("toolrig", "stdio", 5_000);
  for (const peer of [few, many]) await peer.run(WARM, 64);
  const calls = await byTurns([few, many], LONG, (peer) => peer.run(LONG, 64));
  const bare = await start("bare", "stdio", 5_000);
  for (const peer of [bare, many]) for (let time = 0; time < 5; time++) await peer.list();
  const lists = await byTurns([bare, many], 1, (peer) => peer.list());
  for (const peer of [few, many, bare]) peer.stop();
  return { calls: calls.cpu, lists: lists.wall };
}

const PLACES = {
  "stdio, 1 at a time": ["stdio", 1],
  "stdio, 64 at a time": ["stdio", 64],
  "http, 1 at a time": ["http", 1],
  "http, 64 at a time": ["http", 64],
} as const;
const CASES: Record<string, () => Promise<Measured>> = {};
for (const [place, [transport, concurrency]] of Object.entries(PLACES))
  CASES[place] = () => beside("bare", "toolrig", transport, concurrency);
const NAMES = Object.keys(CASES);
const MEMORY = "records in memory, stdio, 64 at a time";
CASES[MEMORY] = () => beside("bare", "memory", "stdio", 64);
const GATEWAYS = ["gateway, stdio, 1 at a time", "gateway, stdio, 64 at a time"];
for (const [index, concurrency] of [1, 64].entries())
  CASES[GATEWAYS[index]!] = () => beside("bare gateway", "gateway", "stdio", concurrency);

const tables: readonly Table[] = [
  {
    title: "calls a second of a served rig (policy, flow guard, records in SQLite), to the bare SDK server's",
    rows: [
      ...NAMES.map((label) => ({
        label,
        value: (round: (name: string) => Measured) => round(label).throughput!,
        goal: { atLeast: 0.9 },
      })),
      { label: MEMORY, value: (round) => round(MEMORY).throughput! },
    ],
  },
  {
    title: "calls a second of a gateway, to that of the SDK's own client behind its own server",
    rows: GATEWAYS.map((label) => ({ label, value: (round) => round(label).throughput! })),
  },
  {
    title: "CPU time of the server for a call, to the bare one's",
    rows: [...NAMES, MEMORY, ...GATEWAYS].map((label) => ({ label, value: (round) => round(label).cpu! })),
  },
  {
    title: "5,000 tools",
    rows: [
      {
        label: "CPU time of a call, relative to one tool",
        value: (round) => round("growth").calls!,
        goal: { atMost: 1.1 },
      },
      { label: "tools/list, relative to the bare SDK server", value: (round) => round("growth").lists! },
    ],
  },
];

export const benchmark: Benchmark = { rounds: 3, cases: { ...CASES, growth }, tables };
