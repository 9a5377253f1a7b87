import { ToolrigError } from "@toolrig/core";
import { type Clock, formatDuration, isThenable, type MaybePromise } from "@toolrig/core/kit";

export interface PatienceOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long there is time for an answer. */
  readonly limitMs: number;
}

/** How long a journal has to write once the run is aborted. */
export const WRITE_GRACE_MS = 1_000;

/**
 * What a hook or a journal answers. One that never does holds a run no longer than the limit, and no longer than `graceMs`
 * once the run is aborted: then this rejects. What comes later is dropped.
 */
export function inTime<T>(
  who: string,
  pending: MaybePromise<T>,
  { clock, signal, limitMs }: PatienceOptions,
  graceMs = 0,
): MaybePromise<T> {
  if (!isThenable(pending)) return pending;
  return new Promise((resolve, reject) => {
    let grace: unknown;
    const giveUp = (error: unknown) => {
      release();
      reject(error);
    };
    const silent = new ToolrigError(
      "ORCHESTRATION_FAILED",
      `${who} gave no answer within ${formatDuration(limitMs)}.`,
    );
    const limit = clock.set(() => giveUp(silent), limitMs);
    const onAbort = () => {
      if (graceMs === 0) giveUp(signal.reason);
      else grace ??= clock.set(() => giveUp(signal.reason), graceMs);
    };
    const release = () => {
      clock.clear(limit);
      if (grace !== undefined) clock.clear(grace);
      signal.removeEventListener("abort", onAbort);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    pending.then(
      (value) => {
        release();
        resolve(value);
      },
      (error) => giveUp(error),
    );
  });
}
