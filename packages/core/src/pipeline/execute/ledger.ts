import type { CallSource } from "../../call/call.ts";
import { fingerprintOf } from "../../call/fingerprint.ts";
import type { ToolResult } from "../../call/result.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import { messageOf } from "../../plain.ts";
import type { Intent, IntentState } from "../../stores/ledger.ts";
import { askReconcile } from "../../tool/ask-reconcile.ts";
import { hasSideEffects, mayRepeat } from "../../tool/safety.ts";
import type { Reconciled } from "../../tool/tool.ts";
import type { Resolved } from "../execution.ts";
import { INTERRUPTED, inTime, unlessInterrupted } from "../interruption.ts";
import { returned } from "../outcome.ts";
import type { Layer, Next } from "./layer.ts";

/** Writes the intent before a side effect and its outcome after it, and never runs an execution a second time. */
export const ledger: Layer = {
  applies: (tool) => tool.ledger,

  wrap(_tool, _system, next) {
    return (execution) =>
      execution.options.executionId === undefined ? once(execution, next) : inTurn(execution, next);
  },
};

/** The executions that are under way with ids that callers chose, whichever executor of this process they came to. */
const UNDER_WAY = new WeakMap<object, Map<string, Promise<unknown>>>();

/** An id has one owner at a time in a ledger: who comes second waits for the first, and is then given its result. */
async function inTurn(execution: Resolved, next: Next): Promise<ToolResult> {
  const { id, services } = execution;
  const book = services.ledger.book ?? services.ledger;
  const owners = UNDER_WAY.get(book) ?? new Map<string, Promise<unknown>>();
  UNDER_WAY.set(book, owners);
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
  let known: IntentState;
  let answer: MaybePromise<IntentState> | undefined;
  try {
    answer = execution.services.ledger.intend(new CallIntent(execution));
    known = isThenable(answer) ? await inTime(execution, answer) : answer;
  } catch (error) {
    if (isThenable(answer)) withdrawLater(execution, answer);
    return unrecordable(execution, next, error);
  }
  if (known.state === "new") return recorded(execution, next);
  if (known.state === "open") return reopened(execution, next);
  if (known.state === "done") return execution.replayed(known.result);
  if (known.state === "running") {
    const message = `Execution ${execution.id} is under way in another process; ask for it again later.`;
    return execution.failed({ code: "TOOL_UNAVAILABLE", message });
  }
  const message = `Execution ${execution.id} belongs to a call with other arguments, so this one did not run.`;
  return execution.failed({ code: "TOOL_BLOCKED", message });
}

/** An intent that is taken after all belongs to a call that did not run. */
function withdrawLater({ services, id }: Resolved, late: Promise<IntentState>): void {
  late.then((known) => (known.state === "new" ? services.ledger.withdraw(id) : undefined)).catch(() => {});
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

/** The fingerprint is made when it is first read: a ledger in memory needs it only for an id it has seen before. */
class CallIntent implements Intent {
  readonly executionId: string;
  readonly name: string;
  readonly version: string | undefined;
  readonly args: unknown;
  readonly callId: string;
  readonly runId: string | undefined;
  readonly principal: string | undefined;
  readonly source: CallSource | undefined;
  #fingerprint: string | undefined;

  constructor({ id, tool, args, options, call }: Resolved) {
    this.executionId = id;
    this.name = tool.name;
    this.version = tool.version;
    this.args = args;
    this.callId = call.id;
    this.runId = options.runId;
    this.principal = options.principal?.id;
    this.source = options.source;
  }

  get fingerprint(): string {
    this.#fingerprint ??= fingerprintOf(this, this.args);
    return this.#fingerprint;
  }
}

async function recorded(execution: Resolved, next: Next): Promise<ToolResult> {
  const answer = next(execution);
  const result = isThenable(answer) ? await answer : answer;
  const written = record(execution, result);
  if (isThenable(written)) await written;
  return result;
}

/** The outcome of a tool that ran cannot be undone by a ledger that fails: it is returned, and the gap reported. */
function record(execution: Resolved, outcome: ToolResult): MaybePromise<void> {
  const { ledger: book } = execution.services;
  const { effects, earlier } = execution;
  // It was not started again, and what became of its first start is as open as before.
  if (earlier > 0 && outcome.attempts === earlier) return undefined;
  const result: ToolResult = effects === undefined ? { ...outcome } : { ...outcome, effects };
  const unrecorded = (error: unknown) =>
    execution.emit({ type: "call.unrecorded", message: messageOf(error) });
  try {
    const written =
      result.attempts === 0
        ? book.withdraw(execution.id)
        : isInDoubt(execution, result)
          ? book.unknown(execution.id, result)
          : result.isError
            ? book.fail(execution.id, result)
            : book.complete(execution.id, result);
    return isThenable(written) ? inTime(execution, written).then(() => {}, unrecorded) : undefined;
  } catch (error) {
    return unrecorded(error);
  }
}

/** What was given up while it ran may have happened, whether or not it could be repeated. */
function isInDoubt({ tool }: Resolved, { failure }: ToolResult): boolean {
  if (failure === undefined) return false;
  if (failure.code === "TOOL_OUTCOME_UNKNOWN") return true;
  const wasGivenUp = failure.code === "TOOL_TIMEOUT" || failure.code === "TOOL_CANCELLED";
  return wasGivenUp && hasSideEffects(tool.safety);
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
    await record(execution, { ...result, attempts: 1 });
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
  await record(execution, result);
  return result;
}
