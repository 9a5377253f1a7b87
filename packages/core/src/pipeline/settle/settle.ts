import { OVER, PARKED } from "../../call/call-state.ts";
import type { CallFact } from "../../call/events.ts";
import { isWaiting, type ToolResult } from "../../call/result.ts";
import { snapshot } from "../../copy.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import { messageOf } from "../../plain.ts";
import { definitionIn } from "../../source/source.ts";
import { definitionHash } from "../../tool/definition.ts";
import { type Aside, type Execution, isResolved } from "../execution.ts";
import { INTERRUPTED, SILENT, silence, unlessInterrupted } from "../interruption.ts";
import { after } from "./after.ts";
import { hasLargeBytes, keepBytes } from "./keep-bytes.ts";
import { isOversized, spill } from "./spill.ts";

/** How long guards have for the result of a call that is cancelled. */
const GRACE_MS = 1_000;

/** Turns what came of a call into the result its caller gets, and announces it. Never throws. */
export function settle(execution: Execution, given: ToolResult): MaybePromise<ToolResult> {
  const outcome = execution.doubt ?? given;
  if (isWaiting(outcome)) return leave(execution, outcome);
  const { guards, maxContent } = execution.services;
  let shown: MaybePromise<ToolResult>;
  try {
    shown = guards.length > 0 && isResolved(execution) ? after(execution, outcome) : outcome;
    if (isThenable(shown) || isOversized(shown, maxContent) || hasLargeBytes(shown, maxContent))
      return settleLater(execution, shown);
  } catch (error) {
    shown = unsettled(execution, error);
  }
  return end(execution, shown);
}

async function settleLater(execution: Execution, shown: MaybePromise<ToolResult>): Promise<ToolResult> {
  let result: ToolResult;
  try {
    const { answerMs: limitMs } = execution.services;
    const answer = isThenable(shown)
      ? await unlessInterrupted(execution, shown, { graceMs: GRACE_MS, limitMs })
      : shown;
    result = answer === INTERRUPTED || answer === SILENT ? unseen(execution, answer) : answer;
    const { maxContent } = execution.services;
    if (hasLargeBytes(result, maxContent)) result = await keepBytes(execution, result);
    if (isOversized(result, maxContent)) result = await spill(execution, result);
  } catch (error) {
    result = unsettled(execution, error);
  }
  return end(execution, result);
}

/** A call that waits has no result yet: guards, listeners and the record get one when there is. */
function leave(execution: Execution, answer: ToolResult): ToolResult {
  const { attempts, startedAt, services } = execution;
  answer.attempts = attempts;
  answer.durationMs = Math.max(0, services.clock.now() - startedAt);
  // Its code goes on here, and settles it.
  if (answer.waiting?.kind === "background" && execution.state.at !== "joined") return answer;
  services.counters.left();
  services.putAside.waits(execution.id);
  execution.move(PARKED);
  return answer;
}

/** A guard had not looked at the result, so nobody else may. */
function unseen(execution: Execution, why: typeof INTERRUPTED | typeof SILENT): ToolResult {
  const ran = execution.attempts > 0 ? " The tool has run." : "";
  if (why === SILENT) {
    const message = `A hook or guard gave ${silence(execution.services.answerMs)} about the result.${ran}`;
    return execution.failed({ code: "TOOL_BLOCKED", message });
  }
  const message = `The call was cancelled, and a guard gave no answer about its result.${ran}`;
  return execution.failed({ code: "TOOL_CANCELLED", message });
}

function unsettled(execution: Execution, error: unknown): ToolResult {
  const message = `The result could not be settled: ${messageOf(error)}`;
  return execution.failed({ kind: "fatal", message });
}

/** Adds what only the pipeline knows. A failure never asks to end the run. */
function end(execution: Execution, result: ToolResult): ToolResult {
  const { advice, effects, stop, attempts, startedAt, endedAt, services } = execution;
  if (result.cached !== true) result.attempts = attempts;
  result.durationMs = Math.max(0, (endedAt === 0 ? services.clock.now() : endedAt) - startedAt);
  if (execution.aside !== undefined) addWaiting(execution, execution.aside, result);
  if (effects !== undefined) result.effects = effects;
  if (stop !== undefined) result.stop = stop;
  if (advice !== undefined) {
    result.advice = advice;
    result.content = [
      ...result.content,
      ...advice.map((text) => ({ type: "text" as const, text: `[advice] ${text}` })),
    ];
  }
  if (result.isError) delete result.terminate;
  services.counters.ended(result);
  services.putAside.over(execution.id);
  if (services.events.active) announce("call.end", execution, result);
  execution.move(OVER);
  return result;
}

function addWaiting({ services, id }: Execution, { waitedMs, token }: Aside, result: ToolResult): void {
  if (waitedMs > 0) result.waitedMs = waitedMs;
  // Who was given it and comes now is too early or too late: there is nothing to complete.
  if (token !== undefined) services.early.delete(id);
}

/** Says that a call of a batch is over, while others may go on. */
export function announceSettled(execution: Execution, outcome: ToolResult): void {
  if (!execution.services.events.active || isWaiting(outcome)) return;
  const { attempts, effects } = execution;
  const known = outcome.cached === true ? outcome : { ...outcome, attempts };
  announce("call.settled", execution, effects === undefined ? known : { ...known, effects });
}

type Ended = Extract<CallFact, { type: "call.end" | "call.settled" }>;

function announce(type: Ended["type"], execution: Execution, result: ToolResult): void {
  const keeps = execution.services.events.keeps(type);
  const args = keeps ? execution.toldArgs : execution.args;
  const { tool, startedAt, preparedAt, did, services } = execution;
  // The caller does with the result what they like, and so may a listener try.
  const told = keeps ? snapshot(result) : result;
  const fact: Ended = { type, result: told, args, startedAt, endedAt: services.clock.now() };
  if (tool !== undefined) fact.definitionHash = definitionHash(definitionIn(services.source, tool));
  if (tool?.version !== undefined) fact.version = tool.version;
  if (preparedAt !== 0) fact.preparedAt = preparedAt;
  if (did !== undefined) fact.did = { sideEffects: did.sideEffects, idempotent: did.idempotent };
  execution.emit(fact);
}
