import type { Benchmark, Measured, Round } from "../benchmark.ts";
import { type System, type SystemOptions, startSystem } from "../fleet/system.ts";
import { median } from "../harness.ts";

const WIDTHS = [1, 64, 256] as const;
/** Fleets run for days: a system is measured when its code has been compiled, not while it is. */
const COMPILE = { width: 64, warmMs: 0, measureMs: 4_000 };
const WARM_MS = 150;
const MEASURE_MS = 450;
const TURNS = 5;

/** What carries the calls. */
const SYSTEMS = {
  "core request/reply": { kind: "core" },
  "core request/reply, without stack traces": { kind: "tuned" },
  "JetStream call, core result": { kind: "jetstream" },
  "Toolrig's protocol by hand": { kind: "protocol" },
  "Toolrig, default sync": { kind: "toolrig" },
  "Toolrig, sync every second": { kind: "toolrig", sync: "1s" },
  "BullMQ, AOF every second": { kind: "bullmq" },
} as const satisfies Record<string, SystemOptions>;

type Name = keyof typeof SYSTEMS;
type Value = "rate" | "p50";
const NAMES = Object.keys(SYSTEMS) as Name[];

/**
 * All systems are there at once, and one at a time is called: they take turns, so that whatever slows the machine down for a
 * while slows all of them. One that cannot run here has no values.
 */
async function measure(): Promise<Measured> {
  const systems = new Map<Name, System>();
  try {
    for (const name of NAMES) {
      const system = await startSystem(SYSTEMS[name]);
      if (system === undefined) continue;
      systems.set(name, system);
      await system.turn(COMPILE);
    }
    const measured: Record<string, number> = {};
    for (const width of WIDTHS) {
      for (let turn = 0; turn < TURNS; turn++) {
        const order = [...systems];
        for (const [name, system] of turn % 2 === 0 ? order : order.reverse()) {
          const { rate, p50 } = await system.turn({ width, warmMs: WARM_MS, measureMs: MEASURE_MS });
          measured[key(name, width, turn, "rate")] = rate;
          measured[key(name, width, turn, "p50")] = p50;
        }
      }
    }
    return measured;
  } finally {
    for (const system of systems.values()) await system.close();
  }
}

function key(name: Name, width: number, turn: number, value: Value): string {
  return [name, width, turn, value].join("/");
}

const CASE = "in turns";

/** The median over the turns of a round. */
function overTurns(of: (value: (name: Name) => number) => number, width: number, value: Value) {
  return (round: Round) => {
    const measured = round(CASE);
    const turns = Array.from({ length: TURNS }, (_, turn) =>
      of((name) => measured[key(name, width, turn, value)] ?? Number.NaN),
    );
    return median(turns);
  };
}

/** Taken inside each turn. */
function ratio(value: Value, width: number, of: Name, to: Name): (round: Round) => number {
  return overTurns((at) => at(of) / at(to), width, value);
}

const ours = "Toolrig, default sync";
const synced = "Toolrig, sync every second";

export const benchmark: Benchmark = {
  rounds: 5,
  cases: { [CASE]: measure },
  tables: [
    ...WIDTHS.map((width) => ({
      title: `Calls a second, ${width} in flight`,
      rows: [
        ...NAMES.map((name) => ({
          label: name,
          value: overTurns((at) => at(name), width, "rate"),
          unit: "/s",
        })),
        {
          label: "Toolrig to core request/reply",
          value: ratio("rate", width, ours, "core request/reply"),
        },
        {
          label: "Toolrig to core request/reply, without stack traces",
          value: ratio("rate", width, ours, "core request/reply, without stack traces"),
        },
        {
          label: "Toolrig to JetStream call, core result",
          value: ratio("rate", width, ours, "JetStream call, core result"),
        },
        {
          label: "Toolrig to its protocol by hand",
          value: ratio("rate", width, ours, "Toolrig's protocol by hand"),
          ...(width > 1 && { goal: { atLeast: 0.8 } }),
        },
        {
          label: "its protocol by hand to core request/reply",
          value: ratio("rate", width, "Toolrig's protocol by hand", "core request/reply"),
        },
        {
          label: "Toolrig, sync every second, to BullMQ",
          value: ratio("rate", width, synced, "BullMQ, AOF every second"),
          ...(width > 1 && { goal: { atLeast: 4 } }),
        },
      ],
    })),
    {
      title: "Latency, 1 in flight",
      rows: [
        {
          label: "Toolrig's median to BullMQ's",
          value: ratio("p50", 1, synced, "BullMQ, AOF every second"),
          goal: { atMost: 0.5 },
        },
        {
          label: "its protocol by hand to BullMQ's",
          value: ratio("p50", 1, "Toolrig's protocol by hand", "BullMQ, AOF every second"),
        },
      ],
    },
  ],
};
