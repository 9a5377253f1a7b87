import { backoffDelay } from "../../backoff.ts";
import { sleep } from "../../clock.ts";
import type { Failure } from "../../failure/failure.ts";
import { mayRepeat } from "../../tool/safety.ts";
import type { RetryPolicy } from "../../tool/tool.ts";
import type { Resolved } from "../execution.ts";
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
        // Its declaration allows to repeat it; what it did through others does not.
        if (execution.did !== undefined && !mayRepeat(execution.did)) return result;
        const delayMs = backoffDelay(attempt, policy, askedMs(failure));
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
