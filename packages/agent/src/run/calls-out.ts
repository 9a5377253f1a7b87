import type { ToolResult } from "@toolrig/core";
import { isWaiting } from "@toolrig/core/kit";
import type { CallOut } from "./journal.ts";
import type { WaitingCall } from "./outcome.ts";

/** A call that is not over while the model goes on. */
export interface HeldCall extends CallOut {
  /** When the run began to wait for it, as its clock says. */
  since: number;
  /** Between 0 and 1, as far as its tool has told. */
  progress?: number;
  /** Once it has come, until the model is given it. */
  result?: ToolResult;
  /** Ends it: it is then cancelled. */
  cancel(): void;
  /** Nobody here waits for it any more: the executor was stopped. */
  left?: true;
}

/** The calls of a run whose results the model is still to be given. */
export class CallsOut {
  readonly #calls = new Map<string, HeldCall>();
  readonly #controller = new AbortController();
  #ever = false;
  #wake = () => {};

  /** Whether there ever was one. */
  get ever(): boolean {
    return this.#ever;
  }

  get isEmpty(): boolean {
    return this.#calls.size === 0;
  }

  /** Cancels them. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get(executionId: string): HeldCall | undefined {
    return this.#calls.get(executionId);
  }

  /** `pending` is its result. One that still waits says that nobody here will see it. */
  add(held: HeldCall, pending: Promise<ToolResult>): void {
    this.#ever = true;
    this.#calls.set(held.executionId, held);
    void pending.then((result) => {
      if (!isWaiting(result)) held.result = result;
      else held.left = true;
      this.wake();
    });
  }

  /** Takes out the results that have come, in the order of the calls. */
  take(): { call: HeldCall; result: ToolResult }[] {
    const taken = [...this.#calls.values()].flatMap((call) =>
      call.result === undefined ? [] : [{ call, result: call.result }],
    );
    for (const { call } of taken) this.#calls.delete(call.executionId);
    return taken;
  }

  get hasResult(): boolean {
    return this.#some(({ result }) => result !== undefined);
  }

  /** Whether none of them will come here. */
  get isLeft(): boolean {
    return !this.#some(({ left }) => left === undefined);
  }

  list(): WaitingCall[] {
    return Array.from(this.#calls.values(), ({ call: { id: callId, name }, executionId, waiting }) => ({
      executionId,
      callId,
      name,
      waiting,
    }));
  }

  /** Resolves when there may be something new, at the latest when the signal aborts. */
  change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#wake = done;
      if (signal.aborted) done();
      else signal.addEventListener("abort", done);
    });
  }

  wake(): void {
    this.#wake();
  }

  cancel(reason: string): void {
    this.#controller.abort(new DOMException(reason, "AbortError"));
  }

  #some(holds: (call: HeldCall) => boolean): boolean {
    for (const call of this.#calls.values()) if (holds(call)) return true;
    return false;
  }
}
