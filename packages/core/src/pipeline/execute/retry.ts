import { backoffDelay } from "../../backoff.ts";
import type { ToolResult } from "../../call/result.ts";
import { sleep } from "../../clock.ts";
import type { Failure } from "../../failure/failure.ts";
import { isThenable } from "../../maybe-promise.ts";
import { mayRepeat } from "../../tool/safety.ts";
import type { RetryPolicy } from "../../tool/tool.ts";
import type { Resolved } from "../execution.ts";
import type { Layer, Next } from "./layer.ts";

/** Starts an idempotent tool again after a failure that was the world's fault, with exponential backoff and jitter. */
export const retry: Layer = {
  applies: (tool) => tool.retry.attempts > 1 && tool.safety.idempotent,

  wrap({ retry: policy }, _services, next) {
    const retryUnlessOver = (execution: Resolved, result: ToolResult) =>
      isOver(execution, result, policy) ? result : again(execution, result, policy, next);
    return (execution) => {
      const first = next(execution);
      return isThenable(first)
        ? first.then((result) => retryUnlessOver(execution, result))
        : retryUnlessOver(execution, first);
    };
  },
};

async function again(
  execution: Resolved,
  first: ToolResult,
  policy: RetryPolicy,
  next: Next,
): Promise<ToolResult> {
  const { clock, counters } = execution.services;
  let result = first;
  for (let attempt = 1; attempt < policy.attempts; attempt++) {
    const { failure } = result;
    if (failure === undefined || isOver(execution, result, policy)) return result;
    const delayMs = backoffDelay(attempt, policy, askedMs(failure));
    if (delayMs === undefined) return result;
    // Calls of the failed attempt that have not begun do not begin beside those of the next one.
    execution.context?.abort(
      new DOMException("The attempt failed; its tool is started again.", "AbortError"),
    );
    counters.retries += 1;
    execution.emit({ type: "call.retry", attempt, delayMs, failure });
    if (!(await sleep(clock, delayMs, execution.interrupted))) return cancelled(execution);
    result = await next(execution);
  }
  return result;
}

/** It succeeded, or starting it again would not help, or is not allowed by what it did through others. */
function isOver({ did }: Resolved, { failure }: ToolResult, policy: RetryPolicy): boolean {
  if (failure === undefined || !isWorthIt(failure, policy)) return true;
  return did !== undefined && !mayRepeat(did);
}

function isWorthIt(failure: Failure, policy: RetryPolicy): boolean {
  if (!failure.retryable) return false;
  return failure.kind === "transient" || (failure.kind === "timeout" && policy.timeouts);
}

/** How long the other side asked to wait. */
function askedMs({ details }: Failure): number | undefined {
  const asked = (details as { retryAfterMs?: unknown } | undefined)?.retryAfterMs;
  return typeof asked === "number" ? asked : undefined;
}

function cancelled(execution: Resolved) {
  return execution.failed({
    code: "TOOL_CANCELLED",
    message: "The call was cancelled between two attempts.",
  });
}
