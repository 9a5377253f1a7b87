import { tool } from "@toolrig/core";
import { FakeClock } from "@toolrig/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Plan, Step } from "./plan.ts";
import { PlanExecutor } from "./plan-executor.ts";

const FULL = process.env.TOOLRIG_FULL === "1";
const GRAPHS = FULL ? 100 : 5;
const STEPS = 1_000;

/** Gives a value that depends on everything it is given, and fails where it is told to. */
function mix({ parts, fails = false }: { parts: readonly number[]; fails?: boolean }): number {
  if (fails) throw new Error("told to");
  return parts.reduce((sum, each) => (sum * 31 + each) % 1_000_003, 7);
}

const blend = tool({
  name: "blend",
  description: "Blend numbers",
  input: {
    type: "object",
    properties: { parts: { type: "array", items: { type: "integer" } }, fails: { type: "boolean" } },
    required: ["parts"],
  },
  output: { type: "integer" },
  safety: { sideEffects: "none" },
  async execute(args) {
    for (let waits = args.parts.length % 3; waits > 0; waits--)
      await new Promise((resolve) => setImmediate(resolve));
    return mix(args as { parts: number[] });
  },
});

interface Node {
  needs: number[];
  fails: boolean;
}

/** Each node needs some of those before it; the steps are then listed in another order. */
const graph = fc.record({
  nodes: fc.array(
    fc.record({
      needs: fc.array(fc.nat(STEPS), { maxLength: 4 }),
      fails: fc.nat(199).map((each) => each === 0),
    }),
    { minLength: STEPS, maxLength: STEPS },
  ),
  order: fc.infiniteStream(fc.nat()),
});

const nameOf = (index: number) => `s${index}`;

function planOf(nodes: readonly Node[], order: Iterator<number>): Plan {
  const steps: Step[] = nodes.map(({ needs, fails }, index) => ({
    name: nameOf(index),
    kind: "tool",
    tool: "blend",
    input: { parts: [index, ...needs.map((need) => ({ $from: nameOf(need) }))], fails },
  }));
  const keys = new Map(steps.map((step) => [step, order.next().value as number]));
  return { steps: steps.sort((a, b) => keys.get(a)! - keys.get(b)!) };
}

/** One step after the other, in an order in which each comes after what it needs. */
function sequentially(nodes: readonly Node[]): Record<string, number> {
  const outputs = new Map<string, number>();
  for (const [index, { needs, fails }] of nodes.entries()) {
    const parts = needs.map((need) => outputs.get(nameOf(need)));
    if (fails || parts.some((part) => part === undefined)) continue;
    outputs.set(nameOf(index), mix({ parts: [index, ...(parts as number[])] }));
  }
  return Object.fromEntries(outputs);
}

test(`${GRAPHS} random graphs of ${STEPS} steps equal their sequential execution`, async () => {
  await fc.assert(
    fc.asyncProperty(graph, async ({ nodes, order }) => {
      const acyclic = nodes.map(({ needs, fails }, index) => ({
        needs: index === 0 ? [] : [...new Set(needs.map((need) => need % index))],
        fails,
      }));
      const { outputs, steps } = await new PlanExecutor({ tools: [blend] }).run(planOf(acyclic, order))
        .outcome;
      expect(outputs).toEqual(sequentially(acyclic));
      expect(Object.keys(steps)).toHaveLength(STEPS);
    }),
    { numRuns: GRAPHS, endOnFailure: true },
  );
});

test("16 independent branches take as long as one", async () => {
  const clock = new FakeClock();
  const wait = tool({
    name: "wait",
    description: "Wait a second",
    input: { type: "object", properties: { before: {} } },
    execute: () => new Promise<string>((resolve) => clock.set(() => resolve("done"), 1_000)),
  });
  const branch = (index: number): Step[] => [
    { name: `a${index}`, kind: "tool", tool: "wait" },
    { name: `b${index}`, kind: "tool", tool: "wait", input: { before: { $from: `a${index}` } } },
  ];
  const steps = Array.from({ length: 16 }, (_, index) => branch(index)).flat();
  const timeFor = async (concurrency: number) => {
    const from = clock.now();
    let over = false;
    const outcome = new PlanExecutor({ tools: [wait], clock, concurrency })
      .run({ steps })
      .outcome.finally(() => {
        over = true;
      });
    while (!over) await clock.advance(250);
    expect((await outcome).status).toBe("completed");
    return Math.round((clock.now() - from) / 1_000);
  };
  const [one, all] = [await timeFor(1), await timeFor(16)];
  console.log(
    `16 branches of two steps of 1s: ${one}s one at a time, ${all}s together: ${one / all} times faster`,
  );
  expect(one).toBe(32);
  expect(all).toBe(2);
});
