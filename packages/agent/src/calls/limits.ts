import type { ToolResult } from "@toolrig/core";
import type { Refusal } from "@toolrig/core/kit";
import type { AssistantMessage, ToolCallPart } from "../model/message.ts";
import type { Spent, Tightest } from "../run/allowance.ts";
import type { Ending, RunError } from "../run/outcome.ts";
import type { RunState } from "../run/state.ts";
import { isOwnCall } from "./own-calls.ts";

export interface Refusals {
  /** Why each call must not run, by position; undefined when all may. */
  refusals: (Refusal | undefined)[] | undefined;
  /** The run ends once the calls are answered. */
  ending: Ending | undefined;
}

const NONE: Refusals = { refusals: undefined, ending: undefined };

/**
 * Which calls of a message may not run: those of a response that was cut off, beyond the iterations and budgets of the
 * run, repeated, or not offered. Used-up iterations and tokens end the run; all else the model is told. Beyond the budget
 * of calls, and for repeats, an answer that is remembered is no harm.
 */
export function refusalsFor(
  run: RunState,
  message: AssistantMessage,
  calls: readonly ToolCallPart[],
): Refusals {
  const error = usedUp(run);
  if (error !== undefined) {
    const refusal: Refusal = { code: "TOOL_BUDGET_EXCEEDED", message: error.message };
    return { refusals: calls.map(() => refusal), ending: { status: "failed", error } };
  }
  const incomplete = refusalOfIncomplete(message);
  if (incomplete !== undefined) return { refusals: calls.map(() => incomplete), ending: undefined };
  let refusals: (Refusal | undefined)[] | undefined;
  const budget = run.allowance.tightest("calls");
  let left = budget.left;
  for (const [index, call] of calls.entries()) {
    const refusal = refusalOf(run, call, left > 0 ? undefined : budget);
    if (refusal === undefined) left -= 1;
    else {
      refusals ??= calls.map(() => undefined);
      refusals[index] = refusal;
    }
  }
  return refusals === undefined ? NONE : { refusals, ending: undefined };
}

/** The limits of the run as a whole. */
function usedUp(run: RunState): RunError | undefined {
  const { maxToolIterations } = run.setup;
  if (run.isConcluding) {
    const budget = named(run.allowance.tightest("calls"), "calls");
    const message = `${budget} is used up and the model asked for more; the call did not run.`;
    return { code: "ORCHESTRATION_BUDGET_EXCEEDED", message };
  }
  if (run.rounds >= maxToolIterations) {
    const message = `The run may feed results back ${maxToolIterations} times and has done so; the call did not run.`;
    return { code: "ORCHESTRATION_ITERATION_LIMIT", message };
  }
  return tokensUsedUp(run);
}

/** Why a model whose turn is paused is not asked to continue. A pause counts as an iteration: nothing else would end a chain of them. */
export function pausesUsedUp({ rounds, setup: { maxToolIterations } }: RunState): RunError | undefined {
  if (rounds < maxToolIterations) return undefined;
  const message = `The model paused its turn again after ${maxToolIterations} iterations (maxToolIterations).`;
  return { code: "ORCHESTRATION_ITERATION_LIMIT", message };
}

/** Why nothing more may be asked of the model, nor done for it: its responses have taken what they may, or nobody can say. */
export function tokensUsedUp({ allowance, isUncounted }: RunState): RunError | undefined {
  const budget = allowance.tightest("tokens");
  if (budget.left < 0) {
    const message = `${named(budget, "tokens")} is used up (${budget.limit - budget.left} were taken).`;
    return { code: "ORCHESTRATION_BUDGET_EXCEEDED", message };
  }
  if (!isUncounted || budget.limit === Number.POSITIVE_INFINITY) return undefined;
  const message =
    `${named(budget, "tokens")} cannot be kept: the model does not say how many its responses take. ` +
    "Use an engine that reports usage, or budgets.calls and budgets.time.";
  return { code: "ORCHESTRATION_BUDGET_EXCEEDED", message };
}

function named({ limit, outer }: Tightest, what: keyof Spent): string {
  return `The ${outer ? "outer run" : "run"}'s budget of ${limit} ${what}`;
}

/** Calls of a response that did not come to its end may not be what the model meant. */
function refusalOfIncomplete({ finishReason }: AssistantMessage): Refusal | undefined {
  if (finishReason === "stop" || finishReason === "tool-calls" || finishReason === "pause") return undefined;
  if (finishReason === "length") {
    const message =
      "Your response was cut off by the length limit, so the call may be incomplete and did not run. " +
      "Make the call again, with less text before it or with shorter arguments.";
    return { code: "TOOL_ARGUMENTS_INVALID_JSON", message };
  }
  const message = `The response ended with "${finishReason}" instead of completing, so its calls did not run.`;
  return { code: "TOOL_BLOCKED", message };
}

function refusalOf(run: RunState, call: ToolCallPart, usedUp: Tightest | undefined): Refusal | undefined {
  const { settings, repeats } = run;
  if (!settings.allows(call.name) && !isOwnCall(run, call.name)) {
    return { code: "TOOL_NOT_ALLOWED", message: `${call.name} may not be called at this point.` };
  }
  if (usedUp !== undefined) {
    const message = `${named(usedUp, "calls")} is used up. Answer with what you have.`;
    return { code: "TOOL_BUDGET_EXCEEDED", message, unlessRemembered: true };
  }
  const repeated = repeats?.refusal(call);
  return repeated === undefined
    ? undefined
    : { code: "TOOL_REPEATED", message: repeated, unlessRemembered: true };
}

/**
 * Whether the calls have used up their budget: the model then has one more turn, without tools, and a call in that one
 * ends the run. Those that were answered from memory cost nothing.
 */
export function isBeyondBudget(
  refusals: readonly (Refusal | undefined)[],
  results: readonly ToolResult[],
): boolean {
  return refusals.some(
    (refusal, index) => refusal?.code === "TOOL_BUDGET_EXCEEDED" && results[index]?.cached !== true,
  );
}
