import type { FailureInput } from "@toolrig/core";
import type { AssistantMessage, ToolCallPart } from "../model/message.ts";
import type { Ending } from "../run/outcome.ts";
import type { RunState } from "../run/state.ts";

export interface Refusals {
  /** Why each call must not run, by position; undefined when all may. */
  refusals: (FailureInput | undefined)[] | undefined;
  /** The run ends once the calls are answered. */
  ending: Ending | undefined;
}

const NONE: Refusals = { refusals: undefined, ending: undefined };

/** Which calls of a message the loop answers itself: cut off, beyond a limit, repeated, or not offered. */
export function refusalsFor(
  run: RunState,
  message: AssistantMessage,
  calls: readonly ToolCallPart[],
): Refusals {
  const every = refusalOfAll(run, message);
  if (every !== undefined) return { refusals: calls.map(() => every.refusal), ending: every.ending };
  let refusals: (FailureInput | undefined)[] | undefined;
  for (const [index, call] of calls.entries()) {
    const refusal = refusalOf(run, call, run.callsRun + index);
    if (refusal === undefined) continue;
    refusals ??= calls.map(() => undefined);
    refusals[index] = refusal;
  }
  return refusals === undefined ? NONE : { refusals, ending: undefined };
}

function refusalOfAll(
  { setup, rounds, tokens }: RunState,
  { finishReason }: AssistantMessage,
): { refusal: FailureInput; ending: Ending | undefined } | undefined {
  if (rounds >= setup.maxToolIterations) {
    const message = `The run may feed results back ${setup.maxToolIterations} times and has done so; the call did not run.`;
    return over("ORCHESTRATION_ITERATION_LIMIT", message);
  }
  if (tokens > setup.tokenBudget) {
    const message = `The run's budget of ${setup.tokenBudget} tokens is used up; the call did not run.`;
    return over("ORCHESTRATION_BUDGET_EXCEEDED", message);
  }
  if (finishReason === "stop" || finishReason === "tool-calls") return undefined;
  if (finishReason === "length") {
    const message =
      "Your response was cut off by the length limit, so the call may be incomplete and did not run. " +
      "Make the call again, with less text before it or with shorter arguments.";
    return { refusal: { code: "TOOL_ARGUMENTS_INVALID_JSON", message }, ending: undefined };
  }
  const message = `The response ended with "${finishReason}" instead of completing, so its calls did not run.`;
  return { refusal: { code: "TOOL_BLOCKED", message }, ending: undefined };
}

function over(
  code: "ORCHESTRATION_ITERATION_LIMIT" | "ORCHESTRATION_BUDGET_EXCEEDED",
  message: string,
): { refusal: FailureInput; ending: Ending } {
  return {
    refusal: { code: "TOOL_BUDGET_EXCEEDED", message },
    ending: { status: "failed", error: { code, message } },
  };
}

function refusalOf(run: RunState, call: ToolCallPart, ranBefore: number): FailureInput | undefined {
  const { setup, settings, repeats } = run;
  if (!settings.allows(call.name)) {
    return { code: "TOOL_NOT_ALLOWED", message: `${call.name} may not be called at this point.` };
  }
  if (ranBefore >= setup.callBudget) {
    const message = `The run's budget of ${setup.callBudget} calls is used up. Answer with what you have.`;
    return { code: "TOOL_BUDGET_EXCEEDED", message };
  }
  const repeated = repeats?.refusal(call);
  return repeated === undefined ? undefined : { code: "TOOL_REPEATED", message: repeated };
}
