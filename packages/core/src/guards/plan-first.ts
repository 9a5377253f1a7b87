import { check } from "../options/check.ts";
import { hasSideEffects } from "../tool/safety.ts";
import type { Guard } from "./guard.ts";
import { RunStates } from "./run-states.ts";

/** Nothing is changed before the run has called the planning tool. */
export function planFirst(options: { planner: string }): Guard {
  check.object("The options of planFirst", options);
  check.known("planFirst", options, ["planner"]);
  const { planner } = options;
  check.string("planner", planner);
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
