import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { text } from "../options/kinds.ts";
import { hasSideEffects } from "../tool/safety.ts";
import type { Guard } from "./guard.ts";
import { RunStates } from "./run-states.ts";

const planFirstOptions = declareOptions("planFirst", {
  planner: text({ required: true }),
} satisfies OptionTable<{ planner: string }>);

/** Nothing is changed before the run has called the planning tool. */
export function planFirst(options: { planner: string }): Guard {
  planFirstOptions.check(options);
  const { planner } = options;
  const planned = new RunStates(() => new Set<string>());
  return {
    name: "plan-first",
    before(input) {
      if (
        input.tool.name === planner ||
        !hasSideEffects(input.tool.safety) ||
        planned.of(input.runId).has(planner)
      )
        return undefined;
      return { verdict: "deny", reason: `make a plan with ${planner} before anything is changed` };
    },
    after(input) {
      if (input.tool.name === planner && !input.result.isError) planned.of(input.runId).add(planner);
      return undefined;
    },
  };
}
