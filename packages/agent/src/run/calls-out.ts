import type { ToolResult } from "@toolrig/core";
import type { HeldCall } from "@toolrig/core/kit";
import type { CallOut } from "./journal.ts";
import type { WaitingCall } from "./outcome.ts";

/** A call that was not over when the model went on. */
export interface OutCall extends CallOut {
  /** When the run began to wait for it, as its clock says. */
  since: number;
  /** Between 0 and 1, as far as its tool has told. */
  progress?: number;
  /** Over once its result has come, until the model is given it; waiting when nobody here waits for it any more. */
  readonly held: HeldCall;
  /** Ends it: it is then cancelled. */
  cancel(): void;
}

/** The calls of a run whose results the model is still to be given. */
export class CallsOut {
  readonly #calls = new Map<string, OutCall>();
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

  get(executionId: string): OutCall | undefined {
    return this.#calls.get(executionId);
  }

  /** `pending` is its result. One that still waits says that nobody here will see it. */
  add(call: OutCall, pending: Promise<ToolResult>): void {
    this.#ever = true;
    this.#calls.set(call.executionId, call);
    void pending.then((result) => {
      call.held.answered(result);
      this.wake();
    });
  }

  /** Takes out the results that have come, in the order of the calls. */
  take(): { call: OutCall; result: ToolResult }[] {
    const taken = [...this.#calls.values()].flatMap((call) => {
      const { result } = call.held;
      return result === undefined ? [] : [{ call, result }];
    });
    for (const { call } of taken) this.#calls.delete(call.executionId);
    return taken;
  }

  get hasResult(): boolean {
    return this.#some(({ held }) => held.state.at === "over");
  }

  /** Whether none of them will come here. */
  get isLeft(): boolean {
    return !this.#some(({ held }) => held.state.at !== "waiting");
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

  #some(holds: (call: OutCall) => boolean): boolean {
    for (const call of this.#calls.values()) if (holds(call)) return true;
    return false;
  }
}
