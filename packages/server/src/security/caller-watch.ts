import type { Caller } from "../http/route.ts";

const LOOK_MS = 500;

/** Says when callers may come no longer, to what goes on for longer than a request. Looks twice a second. */
export class CallerWatch {
  readonly #isGood: (caller: Caller) => boolean;
  readonly #watched = new Map<Caller, AbortController>();
  #timer: NodeJS.Timeout | undefined;

  constructor(isGood: (caller: Caller) => boolean) {
    this.#isGood = isGood;
  }

  /** Aborted when they may come no longer. */
  endOf(caller: Caller): AbortSignal {
    let end = this.#watched.get(caller);
    if (end === undefined) {
      end = new AbortController();
      this.#watched.set(caller, end);
      this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
    }
    return end.signal;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const [caller, end] of this.#watched) {
      if (this.#isGood(caller)) continue;
      this.#watched.delete(caller);
      end.abort();
    }
  }
}
