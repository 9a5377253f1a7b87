import type { ToolResult } from "../../call/result.ts";
import type { FailureInput } from "../../failure/failure.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import { messageOf } from "../../plain.ts";
import type { AtWork, Resolved } from "../execution.ts";
import { threw } from "../outcome.ts";
import { waitingResult } from "../waiting/waiting-result.ts";
import type { RunningAttempt } from "./attempts.ts";
import type { AttemptContext } from "./context.ts";
import {
  type Breach,
  breachOf,
  cancelledFailure,
  type Late,
  tellLate,
  timeoutFailure,
  timeoutOf,
} from "./time-limit.ts";

type AbandonedGenerator = AsyncGenerator<unknown> | Generator<unknown>;

/** Makes a result of what a tool returned. Never throws or rejects. */
type Conclude = (execution: Resolved, value: never) => MaybePromise<ToolResult>;

/**
 * Waits for a running tool, but not beyond its deadline and not after the caller cancelled. The tool is told through
 * its signal; whether it listens does not matter. A value that arrives later is reported as late and goes nowhere else.
 * The clock is read when the value arrives: code that blocks the thread also keeps the timer of its deadline from firing.
 */
export function underDeadline(
  execution: Resolved,
  context: AttemptContext,
  pending: Promise<unknown>,
  conclude: Conclude,
  generator?: AbandonedGenerator,
): Promise<ToolResult> {
  return new Promise((resolve) => {
    const watch = new DeadlineWatch(execution, context, resolve, generator);
    try {
      // A thenable that is no promise may throw, answer twice or answer at once; adopting it makes it behave.
      Promise.resolve(pending).then(
        (value) => watch.onReturn(value, conclude),
        (error) => watch.onThrow(error),
      );
    } catch (error) {
      watch.onThrow(error);
    }
  });
}

class DeadlineWatch implements RunningAttempt, AtWork {
  readonly #execution: Resolved;
  readonly #context: AttemptContext;
  readonly #resolve: (result: MaybePromise<ToolResult>) => void;
  readonly #generator: AbandonedGenerator | undefined;
  readonly #onCancel: (() => void) | undefined;
  place = -1;
  #endedAt: number | undefined;
  #timer: unknown;
  #idleTimer: unknown;
  #armed = false;
  /** How many waits it rests for, and since when. */
  #rests = 0;
  #restingSince = 0;
  #suspended = false;

  constructor(
    execution: Resolved,
    context: AttemptContext,
    resolve: (result: MaybePromise<ToolResult>) => void,
    generator: AbandonedGenerator | undefined,
  ) {
    this.#execution = execution;
    this.#context = context;
    this.#resolve = resolve;
    this.#generator = generator;
    const { signal } = execution.options;
    if (signal !== undefined) {
      this.#onCancel = () => this.cancel();
      signal.addEventListener("abort", this.#onCancel, { once: true });
    }
    execution.services.attempts.add(this);
    execution.running = this;
    if (execution.tool.idleTimeoutMs !== undefined) context.onActivity = () => this.#onActivity();
    if (execution.cancelled) this.cancel();
  }

  arm(): void {
    this.#armed = true;
    if (this.#rests > 0) return;
    const { tool, services } = this.#execution;
    const { clock } = services;
    const timeoutMs = timeoutOf(this.#execution);
    const left = (ms: number) => Math.max(0, ms - (clock.now() - this.#execution.attemptedAt));
    this.#timer = clock.set(
      () => this.#giveUp(timeoutFailure(this.#execution, timeoutMs, "absolute")),
      left(timeoutMs),
    );
    const { idleTimeoutMs } = tool;
    if (idleTimeoutMs === undefined) return;
    this.#watchSilence(Math.max(0, idleTimeoutMs - (clock.now() - this.#context.activeAt)), idleTimeoutMs);
  }

  get overdue(): boolean {
    return this.#breachAt(this.#now()) !== undefined;
  }

  rest(): void {
    this.#rests += 1;
    if (this.#rests > 1) return;
    this.#restingSince = this.#execution.services.clock.now();
    this.#clearTimers();
  }

  /** The time it was at rest is not charged. */
  endRest(): void {
    this.#rests -= 1;
    if (this.#rests > 0 || this.#endedAt !== undefined) return;
    const restedMs = this.#execution.services.clock.now() - this.#restingSince;
    this.#execution.attemptedAt += restedMs;
    this.#context.activeAt += restedMs;
    if (this.#armed) this.arm();
  }

  suspend(result: ToolResult): void {
    if (this.#endedAt !== undefined) return;
    this.#suspended = true;
    this.#end();
    this.#resolve(result);
    this.#context.abort(new DOMException("The call waits; its tool will be started again.", "AbortError"));
    if (this.#generator !== undefined) abandon(this.#generator);
  }

  /** A tool that asks, and can be started again with the answer, is left where it is when its executor stops. */
  cancel(): void {
    const { state, options } = this.#execution;
    if (state.at !== "asking" || !state.restarts || options.signal?.aborted === true) {
      this.#giveUp(cancelledFailure(this.#execution));
      return;
    }
    const [waiting] = state.open;
    this.#execution.move({ at: "suspended", until: "answer" });
    this.#execution.emit({ type: "call.waiting", waiting, parked: true });
    this.suspend(waitingResult(this.#execution, waiting));
  }

  onReturn(value: unknown, conclude: Conclude): void {
    if (this.#endedAt !== undefined) {
      this.#late(this.#endedAt, { isError: false, value });
      return;
    }
    const now = this.#now();
    const breach = this.#breachAt(now);
    if (breach !== undefined) {
      this.#giveUpLate(breach, { isError: false, value });
      return;
    }
    this.#context.close();
    const result = conclude(this.#execution, value as never);
    if (isThenable(result)) void result.then((checked) => this.#finish(checked));
    else this.#finish(result, now);
  }

  onThrow(error: unknown): void {
    const what = { isError: true, message: messageOf(error) };
    if (this.#endedAt !== undefined) {
      this.#late(this.#endedAt, what);
      return;
    }
    const breach = this.#breachAt(this.#now());
    if (breach === undefined) this.#finish(threw(this.#execution, error));
    else this.#giveUpLate(breach, what);
  }

  /** The deadline also covers an output schema that has to be awaited, whose end is judged without a time of its own. */
  #finish(result: ToolResult, judgedAt?: number): void {
    const { isError, value } = result;
    if (this.#endedAt !== undefined) {
      this.#late(this.#endedAt, { isError, value });
      return;
    }
    const now = judgedAt ?? this.#now();
    const breach = judgedAt === undefined ? this.#breachAt(now) : undefined;
    if (breach !== undefined) {
      this.#giveUpLate(breach, { isError, value });
      return;
    }
    this.#end(now);
    this.#resolve(result);
  }

  #now(): number {
    return this.#execution.services.clock.now();
  }

  /** The limit that an answer at this time has passed. */
  #breachAt(now: number): Breach | undefined {
    return breachOf(this.#execution, this.#context, this.#rests > 0 ? this.#restingSince : now);
  }

  #giveUpLate({ ms, limit, overMs }: Breach, what: Late): void {
    this.#giveUp(timeoutFailure(this.#execution, ms, limit));
    tellLate(this.#execution, overMs, what);
  }

  /** A sign of life that comes after the limit comes too late: what blocked the thread kept the timer from firing. */
  #onActivity(): void {
    const { idleTimeoutMs } = this.#execution.tool;
    if (idleTimeoutMs === undefined || this.#rests > 0) return;
    const now = this.#now();
    if (now - this.#context.activeAt > idleTimeoutMs) {
      this.#giveUp(timeoutFailure(this.#execution, idleTimeoutMs, "idle"));
      return;
    }
    this.#context.activeAt = now;
    if (this.#armed) this.#watchSilence(idleTimeoutMs, idleTimeoutMs);
  }

  #watchSilence(ms: number, idleTimeoutMs: number): void {
    if (this.#rests > 0) return;
    const { clock } = this.#execution.services;
    clock.clear(this.#idleTimer);
    this.#idleTimer = clock.set(
      () => this.#giveUp(timeoutFailure(this.#execution, idleTimeoutMs, "idle")),
      ms,
    );
  }

  #giveUp(failure: FailureInput): void {
    if (this.#endedAt !== undefined) return;
    this.#end();
    const { code, message } = this.#execution.describe(failure);
    this.#resolve(this.#execution.failed(failure));
    this.#context.abort(new DOMException(message, code === "TOOL_TIMEOUT" ? "TimeoutError" : "AbortError"));
    if (this.#generator !== undefined) abandon(this.#generator);
  }

  #end(now = this.#now()): void {
    const { services, options } = this.#execution;
    this.#endedAt = this.#execution.endedAt = now;
    this.#clearTimers();
    this.#execution.running = undefined;
    if (this.#onCancel !== undefined) options.signal?.removeEventListener("abort", this.#onCancel);
    services.attempts.delete(this);
    this.#context.close();
  }

  #clearTimers(): void {
    const { clock } = this.#execution.services;
    if (this.#timer !== undefined) clock.clear(this.#timer);
    if (this.#idleTimer !== undefined) clock.clear(this.#idleTimer);
  }

  #late(endedAt: number, what: Late): void {
    if (this.#suspended) return;
    tellLate(this.#execution, this.#execution.services.clock.now() - endedAt, what);
  }
}

/** Lets a generator run its `finally`. One that is made by hand may lack `return`, throw from it or never answer. */
function abandon(generator: AbandonedGenerator): void {
  try {
    Promise.resolve(generator.return?.(undefined)).catch(() => {});
  } catch {
    // Its call has been answered; there is nobody left to tell.
  }
}
