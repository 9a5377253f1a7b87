export interface Backoff {
  backoffMs: number;
  /** Also the longest wait that the other side may ask for. */
  maxBackoffMs: number;
}

/**
 * How long to wait after the failed attempt number `attempt`, counted from 1. Doubles from attempt to attempt, with full
 * jitter so that callers that failed together do not return together, on top of what the other side asked for.
 * Undefined: it asked for too long.
 */
export function backoffDelay(
  attempt: number,
  { backoffMs, maxBackoffMs }: Backoff,
  askedMs?: number,
): number | undefined {
  const jittered = Math.random() * Math.min(maxBackoffMs, backoffMs * 2 ** (attempt - 1));
  if (askedMs === undefined) return jittered;
  return askedMs > maxBackoffMs ? undefined : askedMs + jittered;
}
