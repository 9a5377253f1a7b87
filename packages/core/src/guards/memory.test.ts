import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { Executor, type Guard, InformationFlow, repeatGuard, tool } from "../index.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

function used(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

const RUNS = 1_500;
const CALLS = 10;
const SIZE = 20_000;

/** Each guard with all that it keeps, for as long as it is measured. */
test.each<[name: string, guard: () => Guard]>([
  ["repeats", () => repeatGuard()],
  ["information flow", () => new InformationFlow().guard],
])(
  "what the guard of %s keeps of many runs is a fraction of what their tools returned",
  async (_name, make) => {
    const guard = make();
    let count = 0;
    const read = tool({
      name: "read",
      description: "Read",
      input: { type: "object", properties: { n: { type: "integer" } } },
      safety: { sideEffects: "read" },
      execute: () => Buffer.alloc(SIZE, `${count++} `).toString("latin1"),
    });
    const executor = new Executor({ tools: [read], guards: [guard], maxContent: 2 * SIZE });
    const before = used();
    for (let run = 0; run < RUNS; run++) {
      for (let n = 0; n < CALLS; n++)
        await executor.call({ id: "c", name: "read", arguments: { n } }, { runId: `run ${run}` });
    }
    expect(guard.name).not.toBe("");
    expect(used() - before).toBeLessThan((RUNS * CALLS * SIZE) / 4);
  },
  60_000,
);
