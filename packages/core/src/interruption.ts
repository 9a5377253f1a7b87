import type { Execution } from "./execution.ts";

export const INTERRUPTED = Symbol("interrupted");

/**
 * What `pending` comes to, or `INTERRUPTED` as soon as the caller cancels or the executor stops: so that a hook, a
 * validator or an approver that never answers cannot hold a cancelled call. What it answers later is dropped.
 */
export function unlessInterrupted<T>(
  execution: Execution,
  pending: PromiseLike<T>,
): Promise<T | typeof INTERRUPTED> {
  const { signal } = execution.options;
  const stopping = execution.system.stopping.signal;
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      release();
      resolve(INTERRUPTED);
    };
    const release = () => {
      signal?.removeEventListener("abort", onAbort);
      stopping.removeEventListener("abort", onAbort);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    stopping.addEventListener("abort", onAbort, { once: true });
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
