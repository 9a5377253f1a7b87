/** Calls that are steps of a plan. */
import { PlanExecutor } from "@toolrig/agent";
import type { ToolResult } from "@toolrig/core";
import type { Way } from "./way.ts";

export const plan: Way = {
  name: "plan step",
  source: "script",
  unheard: true,
  recorded: () => ({ stepName: "step_0" }),
  async make(house, asked, again) {
    const { tools, executor, rules, store, runId, principal } = house;
    const { flow } = rules;
    const options = { tools, executor, journal: store.journal, ...(flow !== undefined && { flow }) };
    const plans = new PlanExecutor(options);
    const results: ToolResult[] = [];
    const names = new Set(asked.map(({ name }) => name));
    const stopListening = executor.events.on((event) => {
      if (event.type === "call.end" && names.has(event.name)) results.push(event.result as ToolResult);
    });
    // What steps are given comes with the plan's input, so that only the run can tell whether it fits.
    const steps = asked.map(({ name }, index) => ({
      name: `step_${index}`,
      kind: "tool",
      tool: name,
      input: { $from: "input", path: `/${index}` },
      ...(index > 0 && { after: [`step_${index - 1}`] }),
    }));
    const input = asked.map(({ args, cut }) => cut?.text ?? args);
    const running =
      again === undefined
        ? plans.run({ steps }, { runId, principal, input })
        : plans.resume(runId, { principal });
    await running.outcome;
    stopListening();
    return results;
  },
};
