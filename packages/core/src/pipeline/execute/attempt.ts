import type { ToolResult } from "../../call/result.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import { unavailable } from "../availability.ts";
import type { Resolved } from "../execution.ts";
import { returned, threw } from "../outcome.ts";
import { AttemptContext } from "./context.ts";
import { underDeadline } from "./deadline.ts";

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
  execution.attempts += 1;
  if (execution.services.events.active) {
    execution.emit({ type: "call.attempt", attempt: execution.attempts, args: execution.args });
  }
  const context = new AttemptContext(execution);
  let answer: unknown;
  try {
    answer = execution.tool.execute(execution.args, context);
    if (isAsyncGenerator(answer))
      return underDeadline(execution, context, drain(answer, context), returned, answer);
    if (isThenable(answer)) return underDeadline(execution, context, answer, returned);
  } catch (error) {
    context.close();
    return threw(execution, error);
  }
  context.close();
  const result = returned(execution, answer);
  return isThenable(result) ? underDeadline(execution, context, result, asItIs) : result;
}

function asItIs(_execution: Resolved, result: ToolResult): ToolResult {
  return result;
}

function isAsyncGenerator(value: unknown): value is AsyncGenerator<unknown, unknown, undefined> {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.asyncIterator in value &&
    typeof (value as { next?: unknown }).next === "function"
  );
}

/** A generator that never waits for anything would keep timers from firing, its own deadline included. */
const YIELDS_PER_TURN = 1_000;

/** What a generator yields is progress; what it returns is the result. */
async function drain(
  generator: AsyncGenerator<unknown, unknown, undefined>,
  context: AttemptContext,
): Promise<unknown> {
  for (let yields = 1; !context.closed; yields++) {
    const step = await generator.next();
    if (step.done === true) return step.value;
    context.update(typeof step.value === "string" ? step.value : { details: step.value });
    if (yields % YIELDS_PER_TURN === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return undefined;
}
