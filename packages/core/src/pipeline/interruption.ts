import type { Execution } from "./execution.ts";

export const INTERRUPTED = Symbol("interrupted");

/**
 * What `pending` comes to, or `INTERRUPTED` as soon as the caller cancels or the executor stops: so that a hook, a
 * validator or an approver that never answers cannot hold a cancelled call. What it answers later is dropped. With a
 * grace it has that much longer.
 */
export function unlessInterrupted<T>(
  execution: Execution,
  pending: PromiseLike<T>,
  graceMs = 0,
): Promise<T | typeof INTERRUPTED> {
  const { signal } = execution.options;
  const { clock, stopping } = execution.services;
  return new Promise((resolve, reject) => {
    let grace: unknown;
    const giveUp = () => {
      release();
      resolve(INTERRUPTED);
    };
    const onAbort = () => {
      if (graceMs === 0) giveUp();
      else grace ??= clock.set(giveUp, graceMs);
    };
    const release = () => {
      if (grace !== undefined) clock.clear(grace);
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
