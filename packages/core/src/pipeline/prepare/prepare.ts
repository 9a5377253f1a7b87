import type { Refusal } from "../../call/call.ts";
import type { Stopped } from "../../call/call-batch.ts";
import { callStart } from "../../call/call-event.ts";
import type { ToolResult } from "../../call/result.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import { messageOf } from "../../plain.ts";
import { Execution, type Resolved } from "../execution.ts";
import { heldBack } from "../held-back.ts";
import { INTERRUPTED, SILENT, silence, unlessInterrupted } from "../interruption.ts";
import { check } from "./check.ts";
import { decode } from "./decode.ts";
import { guard } from "./guard.ts";
import { replay } from "./replay.ts";
import { resolve } from "./resolve.ts";
import { rewrite } from "./rewrite.ts";

type Stage = (execution: Resolved) => MaybePromise<ToolResult | undefined>;

/** After `resolve`, each stage lets the call pass or settles it. The tool's schema decides the ties of `decode`. */
const STAGES: readonly Stage[] = [decode, rewrite, check, replay, guard];

/**
 * Returns the execution when the call may run, else its result. Never throws. A guard or validator that gives no answer within
 * `answerWithin` fails the call. `stopped` is the call before it in the batch that ended the run, if any.
 */
export function prepare(execution: Execution, stopped?: Stopped): MaybePromise<Resolved | ToolResult> {
  const { call, options, services } = execution;
  services.counters.calls += 1;
  services.counters.inFlight += 1;
  if (services.events.active) execution.emit(callStart(call, options, services.events));
  try {
    // An executor that is closed says so before anything else, also while it cancels what is under way.
    if (execution.cancelled && (services.closed === undefined || execution.parent !== undefined))
      return cancelled(execution);
    if (stopped !== undefined) return heldBack(execution, stopped);
    if (options.refusal !== undefined) return refuse(execution, options.refusal);
    const resolved = resolve(execution);
    return resolved instanceof Execution ? pass(resolved, 0) : resolved;
  } catch (error) {
    return broken(execution, error);
  }
}

/**
 * A call that must not run is still looked at, so that it is told like any other: which tool, with which arguments. Where a
 * remembered answer will do, it goes on to where that is known.
 */
function refuse(execution: Execution, refusal: Refusal): MaybePromise<Resolved | ToolResult> {
  const resolved = resolve(execution);
  if (!(resolved instanceof Execution)) execution.args = execution.call.arguments;
  else if (refusal.unlessRemembered === true && resolved.tool.pure) return pass(resolved, 0);
  else if (decode(resolved) !== undefined) resolved.args ??= execution.call.arguments;
  return execution.failed(refusal);
}

/** Goes through the stages without waiting for what is already known. */
function pass(execution: Resolved, from: number): MaybePromise<Resolved | ToolResult> {
  try {
    for (let index = from; ; index++) {
      const stage = STAGES[index];
      if (stage === undefined) return execution;
      if (execution.cancelled) return cancelled(execution);
      const answer = stage(execution);
      if (isThenable(answer)) return passLater(execution, answer, index);
      if (answer !== undefined) return answer;
    }
  } catch (error) {
    return broken(execution, error);
  }
}

async function passLater(
  execution: Resolved,
  answer: Promise<ToolResult | undefined>,
  index: number,
): Promise<Resolved | ToolResult> {
  try {
    const settled = await unlessInterrupted(execution, answer, { limitMs: execution.services.answerMs });
    if (settled === INTERRUPTED) return cancelled(execution);
    if (settled === SILENT) return silent(execution, STAGES[index]);
    return settled ?? (await pass(execution, index + 1));
  } catch (error) {
    return broken(execution, error);
  }
}

/** Who is asked in a stage that may have to wait. */
const ASKED: ReadonlyMap<Stage | undefined, string> = new Map([
  [rewrite, "its own prepare"],
  [check, "the validator of its arguments"],
  [replay, "the ledger"],
  [guard, "a hook or guard"],
]);

/** Whoever does not answer has not allowed the call. */
function silent(execution: Resolved, stage: Stage | undefined): ToolResult {
  const { tool, services } = execution;
  const who = ASKED.get(stage) ?? "a stage";
  const message = `${tool.name} did not run: ${who} gave ${silence(services.answerMs)}.`;
  return execution.failed({ code: "TOOL_UNAVAILABLE", message });
}

function cancelled(execution: Execution): ToolResult {
  return execution.failed({ code: "TOOL_CANCELLED", message: "The call was cancelled before it ran." });
}

function broken(execution: Execution, error: unknown): ToolResult {
  return execution.failed({ kind: "fatal", message: `The call could not be prepared: ${messageOf(error)}` });
}
