import { type AnyTool, budgetGuard, type Guard, tool } from "@toolrig/core";
import { CallBatch } from "@toolrig/core/kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { NatsWorker } from "../worker/worker.ts";
import { NatsExecutor } from "./executor.ts";

let server: NatsProcess;
beforeAll(async () => {
  server = await startNats();
});
afterAll(() => server.close());

interface Step {
  name: string;
  /** Runs until this resolves. */
  until?: Promise<unknown>;
  mode?: "parallel" | "sequential";
}

/** Two workers, each with half of the tools, and a caller. */
async function inFleet<T>(
  steps: readonly Step[],
  guards: readonly Guard[],
  look: (executor: NatsExecutor, trace: string[]) => Promise<T>,
): Promise<T> {
  const trace: string[] = [];
  const nats = { servers: server.url };
  const fleet = { ackWait: "2s" } as const;
  const toolOf = ({ name, until, mode = "parallel" }: Step): AnyTool =>
    tool({
      name,
      description: name,
      input: { type: "object" },
      mode,
      safety: { sideEffects: "external" },
      async execute() {
        trace.push(`${name} begins`);
        await until;
        trace.push(`${name} ends`);
        return name;
      },
    });
  const config = { delete_consumer_on_stop: true };
  const workers = [0, 1].map((half) => {
    const tools = steps.filter((_, index) => index % 2 === half).map(toolOf);
    return new NatsWorker({ nats, fleet, tools, guards, config, globalTools: false });
  });
  for (const worker of workers) await worker.start();
  const executor = await NatsExecutor.connect({ nats, fleet });
  try {
    return await look(executor, trace);
  } finally {
    await executor.close();
    for (const worker of workers) await worker.stop("1s");
  }
}

const stopsAt = (name: string): Guard => ({
  name: "stops",
  before: ({ tool: { name: called } }) =>
    called === name ? { verdict: "stop", reason: "enough" } : undefined,
});

const calls = (names: readonly string[]) => names.map((name) => ({ id: `c_${name}`, name, arguments: {} }));
const named = (...names: string[]): Step[] => names.map((name) => ({ name }));

describe("a batch on a fleet", () => {
  for (const mode of ["parallel", "sequential"] as const)
    test(`a guard's stop holds back the calls after it in a ${mode} batch, and not those before it`, () =>
      inFleet(named("one", "two", "three", "four"), [stopsAt("two")], async (executor, trace) => {
        const results = await executor.batch(calls(["one", "two", "three", "four"]), { mode });
        const codes = results.map(({ failure }) => failure?.code);
        expect(codes).toEqual([undefined, "TOOL_BLOCKED", "TOOL_BLOCKED", "TOOL_BLOCKED"]);
        expect(results.slice(2).map(({ failure }) => failure?.details)).toEqual([
          { stoppedBy: "c_two" },
          { stoppedBy: "c_two" },
        ]);
        expect(results[1]?.stop).toBe("enough");
        expect(trace).toEqual(["one begins", "one ends"]);
      }));

  test("calls of guarded workers run beside each other once their guards have let them pass", async () => {
    let free = () => {};
    const until = new Promise<void>((resolve) => {
      free = resolve;
    });
    const judged: string[] = [];
    const watch: Guard = { name: "watch", before: ({ tool: { name } }) => void judged.push(name) };
    const last: Guard = {
      name: "last",
      // The first call ends only when the last one has been judged.
      before({ tool: { name } }) {
        if (name === "three") free();
        return undefined;
      },
    };
    await inFleet(
      [{ name: "one", until }, { name: "two", until }, { name: "three" }],
      [watch, last],
      async (executor) => {
        const results = await executor.batch(calls(["one", "two", "three"]));
        expect(results.map(({ value }) => value)).toEqual(["one", "two", "three"]);
        expect(judged).toEqual(["one", "two", "three"]);
      },
    );
  });

  test("a budget refuses the last calls of a parallel batch", () =>
    inFleet(named("one"), [budgetGuard({ callsPerRun: 2 })], async (executor) => {
      const results = await executor.batch(calls(["one", "one", "one"]), { runId: "r" });
      expect(results.map(({ isError }) => isError)).toEqual([false, false, true]);
    }));

  test("calls that join one batch one at a time are held back by a stop, and a sequential one runs alone", async () => {
    await inFleet(named("one", "two", "three"), [stopsAt("two")], async (executor, trace) => {
      const batch = new CallBatch();
      const results = await Promise.all(
        calls(["one", "two", "three"]).map((call) => executor.call(call, { batch })),
      );
      const codes = results.map(({ failure }) => failure?.code);
      expect(codes).toEqual([undefined, "TOOL_BLOCKED", "TOOL_BLOCKED"]);
      expect(trace).toEqual(["one begins", "one ends"]);
    });
    const steps: Step[] = [{ name: "one" }, { name: "alone", mode: "sequential" }, { name: "two" }];
    await inFleet(steps, [], async (executor, trace) => {
      const batch = new CallBatch();
      await Promise.all(calls(["one", "alone", "two"]).map((call) => executor.call(call, { batch })));
      const expected = ["one", "alone", "two"].flatMap((name) => [`${name} begins`, `${name} ends`]);
      expect(trace).toEqual(expected);
    });
  });
});
