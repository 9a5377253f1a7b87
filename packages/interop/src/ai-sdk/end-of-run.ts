import type { StopCondition, ToolSet } from "ai";
import { stateOf } from "./state.ts";

/**
 * For `stopWhen`, beside others: ends the loop after a step whose calls have all ended the run, and after one in which a guard or
 * hook has stopped it. Throws `OPTION_INVALID`.
 */
// The condition looks at nothing that tools or contexts decide the type of.
// biome-ignore lint/suspicious/noExplicitAny: see above
export function endOfRun(tools: ToolSet): StopCondition<any, any> {
  const state = stateOf(tools);
  return ({ steps }) => state.hasEnded(steps.at(-1)?.toolCalls.map(({ input }) => input) ?? []);
}
