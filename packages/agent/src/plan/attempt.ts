import type { DataLabels, Duration } from "@toolrig/core";
import { type Clock, formatDuration, parseDuration, sleep } from "@toolrig/core/kit";
import { linkSignal } from "../run/link-signal.ts";
import { runErrorOf, type WaitingCall } from "../run/outcome.ts";
import type { StepError } from "./outcome.ts";
import type { StepBase } from "./plan.ts";

/** What one attempt at a step came to. */
export type Attempted =
  | { output: unknown; labels?: DataLabels }
  /** Calls of it wait, and the plan does not wait for them here. */
  | { waits: readonly WaitingCall[] }
  /** `again`: whether another attempt may succeed and cannot do harm. */
  | { error: StepError; again: boolean };

export interface AttemptOptions {
  clock: Clock;
  signal: AbortSignal;
  onRetry(attempt: number, delayMs: number, message: string): void;
}

/** Attempts a step as often as it allows, each time within its limit. Never throws. */
export async function attempt(
  { timeout, retry }: Pick<StepBase, "timeout" | "retry">,
  { clock, signal, onRetry }: AttemptOptions,
  act: (signal: AbortSignal) => Promise<Attempted>,
): Promise<{ attempted: Attempted; attempts: number }> {
  const most = retry?.attempts ?? 1;
  const backoffMs = parseDuration(retry?.backoff ?? "200ms", "backoff");
  for (let attempts = 1; ; attempts++) {
    const attempted = await within(timeout, clock, signal, act);
    if (!("error" in attempted) || !attempted.again || attempts >= most || signal.aborted)
      return { attempted, attempts };
    const delayMs = Math.random() * backoffMs * 2 ** (attempts - 1);
    onRetry(attempts, delayMs, attempted.error.message);
    if (!(await sleep(clock, delayMs, signal))) return { attempted, attempts };
  }
}

async function within(
  timeout: Duration | undefined,
  clock: Clock,
  signal: AbortSignal,
  act: (signal: AbortSignal) => Promise<Attempted>,
): Promise<Attempted> {
  if (timeout === undefined) return guarded(() => act(signal));
  const ms = parseDuration(timeout, "timeout");
  const controller = new AbortController();
  const unlink = linkSignal(signal, controller);
  let timedOut = false;
  const timer = clock.set(() => {
    timedOut = true;
    controller.abort(new DOMException("The step took too long.", "TimeoutError"));
  }, ms);
  const attempted = await guarded(() => act(controller.signal));
  clock.clear(timer);
  unlink();
  if (!timedOut || !("error" in attempted)) return attempted;
  const message = `The step took longer than ${formatDuration(ms)}. ${attempted.error.message}`;
  return { error: { code: "CANCELLED_TIMEOUT", message }, again: attempted.again };
}

async function guarded(act: () => Promise<Attempted>): Promise<Attempted> {
  try {
    return await act();
  } catch (error) {
    return { error: runErrorOf(error), again: false };
  }
}
