import { formatDuration } from "../options/duration.ts";
import type { Execution } from "./execution.ts";

/** The caller cancelled or the executor stops. */
export const INTERRUPTED = Symbol("interrupted");
/** There was no answer in time. */
export const SILENT = Symbol("silent");

export interface Patience {
  /** How much longer there is time for an answer once the call is interrupted. Default 0. */
  graceMs?: number;
  /** How long there is time for an answer in any case. Default: for ever. */
  limitMs?: number;
}

/**
 * What `pending` comes to, `INTERRUPTED` as soon as the caller cancels or the executor stops, or `SILENT` when the limit
 * is over: so that a hook, a validator, an approver or a store that never answers cannot hold a call. What it answers
 * later is dropped.
 */
export function unlessInterrupted<T>(
  execution: Execution,
  pending: PromiseLike<T>,
): Promise<T | typeof INTERRUPTED>;
export function unlessInterrupted<T>(
  execution: Execution,
  pending: PromiseLike<T>,
  patience: Patience,
): Promise<T | typeof INTERRUPTED | typeof SILENT>;
export function unlessInterrupted<T>(
  execution: Execution,
  pending: PromiseLike<T>,
  { graceMs = 0, limitMs }: Patience = {},
): Promise<T | typeof INTERRUPTED | typeof SILENT> {
  const { signal } = execution.options;
  const { clock, stopping } = execution.services;
  return new Promise((resolve, reject) => {
    let grace: unknown;
    const giveUp = (as: typeof INTERRUPTED | typeof SILENT) => {
      release();
      resolve(as);
    };
    const limit = limitMs === undefined ? undefined : clock.set(() => giveUp(SILENT), limitMs);
    const onAbort = () => {
      if (graceMs === 0) giveUp(INTERRUPTED);
      else grace ??= clock.set(() => giveUp(INTERRUPTED), graceMs);
    };
    const release = () => {
      if (grace !== undefined) clock.clear(grace);
      if (limit !== undefined) clock.clear(limit);
      signal?.removeEventListener("abort", onAbort);
      stopping.signal.removeEventListener("abort", onAbort);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    stopping.signal.addEventListener("abort", onAbort, { once: true });
    if (execution.cancelled) onAbort();
    pending.then(
      (value) => {
        release();
        resolve(value);
      },
      (error) => {
        release();
        reject(error);
      },
    );
  });
}

/** How long a store has for a call that is interrupted. */
const STORE_GRACE_MS = 1_000;

/** What a store answers. Rejects when it fails, or does not answer in time. */
export async function inTime<T>(execution: Execution, pending: PromiseLike<T>): Promise<T> {
  const limitMs = execution.services.answerMs;
  const answer = await unlessInterrupted(execution, pending, { graceMs: STORE_GRACE_MS, limitMs });
  if (answer === SILENT) throw new Error(silence(limitMs));
  if (answer === INTERRUPTED) throw new Error("no answer before the call was cancelled");
  return answer;
}

export function silence(limitMs: number): string {
  return `no answer within ${formatDuration(limitMs)}`;
}
