/** Deadlines of calls that loops, plans and fleets make. */
import { AgentLoop, PlanExecutor, scriptedEngine } from "@toolrig/agent";
import { Executor, type ToolResult, tool } from "@toolrig/core";
import { NatsExecutor, NatsWorker } from "@toolrig/nats";
import { type Case, type Gate, LIMIT_MS } from "./slow.ts";

const deaf = (gate: Gate, timeout: number | "1h") =>
  tool({
    name: "slow",
    description: "Takes its time",
    input: { type: "object" },
    safety: { sideEffects: "read" },
    timeout,
    execute: () => gate.wait.then(() => "late"),
  });

export const RUNS: readonly Case[] = [
  {
    who: "a loop's call",
    want: "TOOL_TIMEOUT",
    late: "value",
    async run(gate, seen) {
      const executor = seen(new Executor({ tools: [deaf(gate, LIMIT_MS)] }));
      const engine = scriptedEngine([{ calls: [{ name: "slow" }] }, "done"]);
      let result: ToolResult | undefined;
      const onToolResult = (each: ToolResult) => {
        result = each;
      };
      const outcome = await new AgentLoop({ engine, executor, onToolResult }).run("go").outcome;
      return {
        result: result!,
        problems: outcome.status === "answered" ? [] : [`the run ${outcome.status}`],
      };
    },
  },
  {
    who: "a loop's time",
    want: "TOOL_CANCELLED",
    late: "value",
    async run(gate, seen) {
      const executor = seen(new Executor({ tools: [deaf(gate, "1h")] }));
      const engine = scriptedEngine([{ calls: [{ name: "slow" }] }, "done"]);
      let result: ToolResult | undefined;
      const onToolResult = (each: ToolResult) => {
        result = each;
      };
      const budgets = { time: LIMIT_MS };
      const outcome = await new AgentLoop({ engine, executor, onToolResult, budgets }).run("go").outcome;
      return { result: result!, problems: outcome.status === "aborted" ? [] : [`the run ${outcome.status}`] };
    },
  },
  {
    who: "a step's time",
    want: "TOOL_CANCELLED",
    late: "value",
    async run(gate, seen) {
      const tools = [deaf(gate, "1h")];
      const executor = seen(new Executor({ tools }));
      let result: ToolResult | undefined;
      executor.events.on("call.end", (event) => {
        result = event.result;
      });
      const steps = [{ name: "step", kind: "tool", tool: "slow", timeout: LIMIT_MS }];
      const outcome = await new PlanExecutor({ tools, executor }).run({ steps }).outcome;
      const { error } = outcome;
      return {
        result: result!,
        problems: error?.code === "CANCELLED_TIMEOUT" ? [] : [`the plan: ${error?.code}`],
      };
    },
  },
];

export function fleetCases(url: string): readonly Case[] {
  const nats = { servers: url };
  const onFleet = async (gate: Gate, timeout: number | "1h", timeoutMs?: number) => {
    const worker = new NatsWorker({ nats, tools: [deaf(gate, timeout)], globalTools: false });
    await worker.start();
    const executor = await NatsExecutor.connect({ nats });
    try {
      const call = { id: "c", name: "slow", arguments: {} };
      return { result: await executor.call(call, timeoutMs === undefined ? {} : { timeout: timeoutMs }) };
    } finally {
      gate.open();
      await executor.close();
      await worker.stop();
    }
  };
  return [
    { who: "a tool of a fleet", want: "TOOL_TIMEOUT", run: (gate) => onFleet(gate, LIMIT_MS) },
    { who: "a fleet's caller", want: "TOOL_TIMEOUT", run: (gate) => onFleet(gate, "1h", LIMIT_MS) },
    {
      who: "a fleet without a free worker",
      want: "TOOL_UNAVAILABLE",
      async run() {
        const worker = new NatsWorker({
          nats,
          tools: [deaf({ wait: Promise.resolve() } as Gate, "1h")],
          globalTools: false,
        });
        await worker.start();
        await worker.stop();
        const executor = await NatsExecutor.connect({ nats, queueTimeout: LIMIT_MS });
        try {
          return { result: await executor.call({ id: "c", name: "slow", arguments: {} }) };
        } finally {
          await executor.close();
        }
      },
    },
  ];
}
