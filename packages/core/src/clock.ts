/** Time, as everything here sees it. Replaced in tests; `now` is epoch milliseconds and never goes backwards. */
export interface Clock {
  now(): number;
  set(callback: () => void, ms: number): unknown;
  clear(timer: unknown): void;
}

const origin = performance.timeOrigin;

export const systemClock: Clock = {
  now: () => origin + performance.now(),
  set: (callback, ms) => setTimeout(callback, ms),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** Resolves true after `ms`, or false as soon as the signal aborts. Never rejects. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const done = (elapsed: boolean) => {
      clock.clear(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve(elapsed);
    };
    const onAbort = () => done(false);
    const timer = clock.set(() => done(true), ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Time that goes on while the machine sleeps, and does not go back when its clock is set: for what other processes see. */
export function wallTime(clock: Clock): number {
  const now = clock.now();
  return clock === systemClock ? Math.max(now, Date.now()) : now;
}
