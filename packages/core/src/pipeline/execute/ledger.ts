import { JOINED } from "../../call/call-state.ts";
import { fingerprintOf } from "../../call/fingerprint.ts";
import { isWaiting, type ToolResult } from "../../call/result.ts";
import { copy } from "../../copy.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import { messageOf } from "../../plain.ts";
import { passQuestions, stoppedAt } from "../../stores/asked-question.ts";
import type { IntentState } from "../../stores/ledger.ts";
import { askReconcile } from "../../tool/ask-reconcile.ts";
import { hasSideEffects, mayRepeat } from "../../tool/safety.ts";
import type { Reconciled } from "../../tool/tool.ts";
import { CallIntent } from "../call-intent.ts";
import { closeLedger, withdraw } from "../close-ledger.ts";
import type { Resolved } from "../execution.ts";
import { INTERRUPTED, inTime, unlessInterrupted } from "../interruption.ts";
import { returned } from "../outcome.ts";
import { underWayIn } from "../under-way.ts";
import type { ParkedCall } from "../waiting/parked-call.ts";
import { attemptsBefore, untilNothingIsAsked } from "../waiting/question.ts";
import { resultWait } from "../waiting/result-wait.ts";
import { shownOf, waitingResult } from "../waiting/waiting-result.ts";
import { unmatched } from "./earlier-calls.ts";
import type { Layer, Next } from "./layer.ts";

/** Writes the intent before a side effect and its outcome after it, and never runs an execution a second time. */
export const ledger: Layer = {
  applies: (tool) => tool.ledger,

  wrap(_tool, _services, next) {
    return (execution) =>
      execution.options.executionId === undefined ? once(execution, next) : inTurn(execution, next);
  },
};

/** An id has one owner at a time in a ledger: who comes second waits for the first, and is then given its result. */
async function inTurn(execution: Resolved, next: Next): Promise<ToolResult> {
  const { id, services } = execution;
  const owners = underWayIn(services);
  for (let owner = owners.get(id); owner !== undefined; owner = owners.get(id)) {
    const waited = await unlessInterrupted(execution, owner);
    if (waited === INTERRUPTED) return cancelledWaiting(execution);
  }
  const mine = once(execution, next).finally(() => owners.delete(id));
  owners.set(id, mine);
  return mine;
}

function cancelledWaiting(execution: Resolved): ToolResult {
  const message = `The call was cancelled while it waited for execution ${execution.id}, which is under way and goes on.`;
  return execution.failed({ code: "TOOL_CANCELLED", message });
}

async function once(execution: Resolved, next: Next): Promise<ToolResult> {
  if (execution.services.held.size > 0) {
    const held = await heldAnswer(execution);
    if (held !== undefined) return held;
  }
  const repeats = unmatched(execution);
  const lost = repeats === undefined ? undefined : await repeats;
  if (lost !== undefined) return lost;
  let known: IntentState;
  let answer: MaybePromise<IntentState> | undefined;
  try {
    answer = execution.services.ledger.intend(new CallIntent(execution));
    known = isThenable(answer) ? await inTime(execution, answer) : answer;
  } catch (error) {
    if (isThenable(answer)) withdrawLater(execution, answer);
    return unrecordable(execution, next, error);
  }
  if (known.state === "new") {
    execution.isNew = true;
    return recorded(execution, next);
  }
  if (known.state === "open") return (await parkedBefore(execution, next)) ?? reopened(execution, next);
  if (known.state === "done") return execution.replayed(known.result);
  if (known.state === "waiting") return startAgain(execution, next);
  if (known.state === "running") return (await joined(execution)) ?? underWay(execution);
  return collision(execution);
}

function collision(execution: Resolved): ToolResult {
  const message = `Execution ${execution.id} belongs to a call with other arguments, so this one did not run.`;
  return execution.failed({ code: "TOOL_BLOCKED", message });
}

/** The answer to a call whose outcome is known here and not in the ledger yet. */
async function heldAnswer(execution: Resolved): Promise<ToolResult | undefined> {
  const { held } = execution.services;
  const outcome = held.get(execution.id);
  if (outcome === undefined) return undefined;
  if (outcome.fingerprint !== fingerprintOf(execution.tool, execution.args)) return collision(execution);
  if (outcome.result !== undefined) return execution.replayed(copy(outcome.result));
  if (await held.store(execution.id)) return undefined;
  const message = `${execution.tool.name} did not run: the ledger fails (${held.problem}). Ask for it again later.`;
  return execution.failed({ code: "TOOL_UNAVAILABLE", message });
}

function underWay(execution: Resolved): ToolResult {
  const message = `Execution ${execution.id} is under way in another process; ask for it again later.`;
  return execution.failed({ code: "TOOL_UNAVAILABLE", message });
}

/** An intent that is taken after all belongs to a call that did not run. */
function withdrawLater(execution: Resolved, late: Promise<IntentState>): void {
  late.then(
    (known) => (known.state === "new" ? withdraw(execution) : undefined),
    () => {},
  );
}

/** A side effect that cannot be recorded is not attempted, unless the executor was told to. */
function unrecordable(execution: Resolved, next: Next, error: unknown): MaybePromise<ToolResult> {
  const { tool, services } = execution;
  if (services.onUnrecorded === "run" || !hasSideEffects(tool.safety)) {
    execution.emit({ type: "call.unrecorded", message: messageOf(error) });
    return next(execution);
  }
  const message = `${tool.name} did not run: its intent could not be recorded (${messageOf(error)}).`;
  return execution.failed({ code: execution.cancelled ? "TOOL_CANCELLED" : "TOOL_UNAVAILABLE", message });
}

async function recorded(execution: Resolved, next: Next): Promise<ToolResult> {
  const answer = next(execution);
  const result = isThenable(answer) ? await answer : answer;
  if (isWaiting(result) || execution.state.at === "taken") return result;
  const written = closeLedger(execution, result);
  if (isThenable(written)) await written;
  return result;
}

/** An execution that waits for its result is not run again: whoever asks for it waits, too. */
async function joined(execution: Resolved): Promise<ToolResult | undefined> {
  const { services, id } = execution;
  const wait = await resultWait(services, id);
  if (wait === undefined || (wait.kind === "background" && execution.state.at !== "joined")) return undefined;
  execution.attempts = (wait.body as ParkedCall).attempts;
  if (execution.state.at !== "joined") execution.move(JOINED);
  return waitingResult(execution, shownOf(wait));
}

/** Its process died after it had written what is waited for, and before it gave up the intent. */
async function parkedBefore(execution: Resolved, next: Next): Promise<ToolResult | undefined> {
  const { services, id } = execution;
  const later = await joined(execution);
  if (later !== undefined) {
    if (later.waiting?.kind !== "background") await services.ledger.park?.(id);
    return later;
  }
  if ((await stoppedAt(services.waits, id)) === undefined) return undefined;
  await services.ledger.park?.(id);
  return startAgain(execution, next);
}

/** One that waits for an answer is started again, once there is nothing left to wait for. */
async function startAgain(execution: Resolved, next: Next): Promise<ToolResult> {
  const { services, id } = execution;
  const later = await joined(execution);
  if (later !== undefined) return later;
  execution.attempts = await attemptsBefore(execution);
  const asking = await untilNothingIsAsked(execution);
  if (asking !== undefined) return asking;
  await passQuestions(services.waits, id);
  if ((await services.ledger.unpark?.(id)) === false) return underWay(execution);
  execution.earlier = execution.attempts;
  return recorded(execution, next);
}

/** An earlier process wrote the intent and was never heard of again. */
async function reopened(execution: Resolved, next: Next): Promise<ToolResult> {
  const { tool } = execution;
  const found = await inTime(execution, askReconcile(tool, execution.args, execution.id)).catch(
    (): Reconciled => ({ outcome: "unknown" }),
  );
  if (found.outcome === "completed") {
    const result = await returned(execution, found.value);
    execution.attempts = 1;
    await closeLedger(execution, { ...result, attempts: 1 });
    return result;
  }
  if (found.outcome === "never-ran") return recorded(execution, next);
  execution.attempts = execution.earlier = 1;
  if (mayRepeat(tool.safety)) return recorded(execution, next);
  const result = execution.failed({
    code: "TOOL_OUTCOME_UNKNOWN",
    message: `${tool.name} was started before and its outcome was never recorded. It may have happened; it was not run again.`,
  });
  execution.earlier = 0;
  await closeLedger(execution, result);
  return result;
}
