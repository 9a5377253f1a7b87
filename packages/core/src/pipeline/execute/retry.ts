import { sleep } from "../../clock.ts";
import type { Failure } from "../../failure/failure.ts";
import type { RetryPolicy } from "../../tool/tool.ts";
import type { Execution } from "../execution.ts";
import type { Layer } from "./layer.ts";

/** Starts an idempotent tool again after a failure that was the world's fault, with exponential backoff and jitter. */
export const retry: Layer = {
  applies: (tool) => tool.retry.attempts > 1 && tool.safety.idempotent,

  wrap({ retry: policy }, { clock, counters }, next) {
    return async (execution) => {
      for (let attempt = 1; ; attempt++) {
        const result = await next(execution);
        const { failure } = result;
        if (failure === undefined || attempt >= policy.attempts || !isWorthIt(failure, policy)) return result;
        const delayMs = delayFor(failure, attempt, policy);
        if (delayMs === undefined) return result;
        counters.retries += 1;
        execution.emit({ type: "call.retry", attempt, delayMs, failure });
        if (!(await sleep(clock, delayMs, execution.interrupted))) return cancelled(execution);
      }
    };
  },
};

function isWorthIt(failure: Failure, policy: RetryPolicy): boolean {
  if (!failure.retryable) return false;
  return failure.kind === "transient" || (failure.kind === "timeout" && policy.timeouts);
}

/** Full jitter, so that callers that failed together do not return together. Undefined: asked to wait too long. */
function delayFor(failure: Failure, attempt: number, policy: RetryPolicy): number | undefined {
  const ceiling = Math.min(policy.maxBackoffMs, policy.backoffMs * 2 ** (attempt - 1));
  const jittered = Math.random() * ceiling;
  const asked = (failure.details as { retryAfterMs?: unknown } | undefined)?.retryAfterMs;
  if (typeof asked !== "number") return jittered;
  return asked > policy.maxBackoffMs ? undefined : asked + jittered;
}

function cancelled(execution: Execution) {
  return execution.failed({
    code: "TOOL_CANCELLED",
    message: "The call was cancelled between two attempts.",
  });
}
