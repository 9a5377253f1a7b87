import type { ToolCall, ToolResult } from "@toolrig/core";
import { TransientMap } from "../wire/transient-map.ts";
import { type Outgoing, PendingCall, type Waiter } from "./pending-call.ts";
import { cancelled } from "./remote-failures.ts";
import type { Asking } from "./submission.ts";

/** Calls whose outcome somebody here waits for. Each is answered once, and then it is forgotten. */
export class PendingCalls {
  readonly #out = new TransientMap<string, PendingCall>();
  /** Calls that others made. Who makes the same call here waits on its own. */
  readonly #questions = new TransientMap<string, PendingCall>();

  /** How many are out. */
  get size(): number {
    return this.#out.size;
  }

  /** The call that was made here. */
  out(key: string): PendingCall | undefined {
    return this.#out.get(key);
  }

  /** The call that others made, and that is asked about here. */
  question(key: string): PendingCall | undefined {
    return this.#questions.get(key);
  }

  any(key: string): PendingCall | undefined {
    return this.#out.get(key) ?? this.#questions.get(key);
  }

  allOut(): PendingCall[] {
    return this.#out.values();
  }

  all(): PendingCall[] {
    return [...this.#out.values(), ...this.#questions.values()];
  }

  isOut(pending: PendingCall): boolean {
    return this.#out.get(pending.key) === pending;
  }

  add(outgoing: Outgoing): PendingCall {
    const pending = new PendingCall(outgoing);
    this.#out.add(pending.key, pending);
    return pending;
  }

  /** A question about a call that others made, unless there is one. */
  ask(executionId: string, key: string): PendingCall {
    const same = this.#questions.get(key);
    if (same !== undefined) return same;
    const call: ToolCall = { id: executionId, name: "" };
    const question = new PendingCall({ executionId, key, call, fingerprint: undefined, sent: undefined });
    this.#questions.add(key, question);
    return question;
  }

  /** Who waits and aborts stops waiting, and the call goes on for the others. */
  join(pending: PendingCall, { signal, waits }: Asking): Promise<ToolResult> {
    return new Promise((resolve) => {
      if (signal === undefined) return this.#wait(pending, waits, resolve);
      const abort = () => resolve(cancelled(pending, "while it was waited for; it goes on"));
      if (signal.aborted) return abort();
      signal.addEventListener("abort", abort, { once: true });
      this.#wait(pending, waits, (result) => {
        signal.removeEventListener("abort", abort);
        resolve(result);
      });
    });
  }

  answer(pending: PendingCall, result: ToolResult): void {
    const place = this.#placeOf(pending);
    if (place.get(pending.key) !== pending) return;
    place.take(pending.key);
    pending.answer(result);
  }

  #wait(pending: PendingCall, waits: Asking["waits"], onAnswered: Waiter["onAnswered"]): void {
    const waiter: Waiter = {
      onAnswered,
      onAllowed: waits.onAllowed,
      onParked: (result) => {
        waits.onParked?.(result);
        if (waits.onWaiting !== "return") return;
        if (pending.leave(waiter)) this.#placeOf(pending).take(pending.key);
        onAnswered(pending.sent === undefined ? result : { ...result, callId: pending.call.id });
      },
    };
    pending.join(waiter);
  }

  #placeOf({ sent }: PendingCall): TransientMap<string, PendingCall> {
    return sent === undefined ? this.#questions : this.#out;
  }
}
