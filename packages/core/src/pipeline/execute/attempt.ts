import { RUNNING } from "../../call/call-state.ts";
import type { ProgressUpdate } from "../../call/progress.ts";
import type { ToolResult } from "../../call/result.ts";
import { copy } from "../../copy.ts";
import { isPlainObject } from "../../is-record.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import { unavailable } from "../availability.ts";
import type { Resolved } from "../execution.ts";
import { returned, threw } from "../outcome.ts";
import { AttemptContext } from "./context.ts";
import { underDeadline } from "./deadline.ts";
import { tooLate } from "./time-limit.ts";

/** Starts the tool's code once and sees it through. */
export function attempt(execution: Resolved): MaybePromise<ToolResult> {
  if (execution.cancelled) {
    return execution.failed({
      code: "TOOL_CANCELLED",
      message: "The call was cancelled before the tool ran.",
    });
  }
  const refusal = unavailable(execution);
  if (refusal !== undefined) return refusal;
  // A question of an earlier start may still be open.
  if (execution.state.at !== "asking") execution.move(RUNNING);
  if (execution.doubt !== undefined) return execution.doubt;
  execution.begin();
  const { events } = execution.services;
  if (events.active) {
    const args = events.keeps("call.attempt") ? execution.toldArgs : execution.args;
    execution.emit({ type: "call.attempt", attempt: execution.attempts, args });
  }
  const { clock } = execution.services;
  execution.attemptedAt = clock.now();
  const context = new AttemptContext(execution);
  execution.context = context;
  let answer: unknown;
  try {
    // A copy for each attempt: what the tool does to it reaches neither the next one nor the record.
    const { tool, args, services } = execution;
    answer = services.tracer === undefined ? tool.execute(copy(args), context) : traced(execution, context);
    if (isGenerator(answer))
      return underDeadline(execution, context, drained(execution, context, answer), returned, answer);
    if (isThenable(answer)) return underDeadline(execution, context, answer, returned);
  } catch (error) {
    context.close();
    execution.endedAt = clock.now();
    const late = tooLate(execution, context, true, error);
    return late ?? threw(execution, error);
  }
  context.close();
  execution.endedAt = clock.now();
  const late = tooLate(execution, context, false, answer);
  if (late !== undefined) return late;
  const result = returned(execution, answer);
  return isThenable(result) ? underDeadline(execution, context, result, asItIs) : result;
}

function traced(execution: Resolved, context: AttemptContext): unknown {
  const { tool, args, services } = execution;
  return services.tracer?.within(execution, () => tool.execute(copy(args), context));
}

function drained(execution: Resolved, context: AttemptContext, generator: AnyGenerator): Promise<unknown> {
  const { tracer } = execution.services;
  return tracer === undefined
    ? drain(generator, context)
    : tracer.within(execution, () => drain(generator, context));
}

function asItIs(_execution: Resolved, result: ToolResult): ToolResult {
  return result;
}

type AnyGenerator = AsyncGenerator<unknown, unknown, undefined> | Generator<unknown, unknown, undefined>;

/** An async generator, also one made by hand, or a plain one. An iterator of another kind is a value. */
function isGenerator(value: unknown): value is AnyGenerator {
  if (typeof value !== "object" || value === null) return false;
  if (Symbol.asyncIterator in value) return typeof (value as { next?: unknown }).next === "function";
  return Symbol.iterator in value && Object.prototype.toString.call(value) === "[object Generator]";
}

/** A generator that never waits for anything would keep timers from firing, its own deadline included. */
const YIELDS_PER_TURN = 1_000;

/** An update is an object with nothing but its fields; any other value that a generator yields is the details of one. */
function updateOf(yielded: unknown): string | ProgressUpdate {
  if (typeof yielded === "string") return yielded;
  return isPlainObject(yielded) && isUpdate(yielded) ? yielded : { details: yielded };
}

function isUpdate(value: Record<string, unknown>): value is Record<string, unknown> & ProgressUpdate {
  const { content = "", progress = 0, details: _, ...others } = value;
  return (
    typeof content === "string" &&
    typeof progress === "number" &&
    Object.keys(others).length === 0 &&
    Object.keys(value).length > 0
  );
}

/** What a generator yields is progress; what it returns is the result. */
async function drain(generator: AnyGenerator, context: AttemptContext): Promise<unknown> {
  for (let yields = 1; !context.closed; yields++) {
    const step = await generator.next();
    if (step.done === true) return step.value;
    context.update(updateOf(step.value));
    if (yields % YIELDS_PER_TURN === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return undefined;
}
