import { backoffDelay } from "../backoff.ts";
import { type Clock, sleep } from "../clock.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { messageOf } from "../plain.ts";
import type { KnownExecution, Ledger } from "../stores/ledger.ts";
import { silence } from "./interruption.ts";

/** The outcome of a call that is over, which its ledger did not take. Without a result the call did not run. */
export interface HeldOutcome extends KnownExecution {
  /** Writes it once more. Rejects or throws when the ledger fails. */
  write(): MaybePromise<unknown>;
}

const BACKOFF = { backoffMs: 100, maxBackoffMs: 5_000 };
/** So many failures in a row keep a process alive that has nothing else to do: about half a minute. */
const KEEPS_ALIVE = 10;
/** How often an executor that ends tries once more. */
const LAST_TRIES = 5;

const HELD = new WeakMap<object, HeldOutcomes>();

/** The outcomes that this process holds for a ledger, whichever executor they came from. */
export function heldOutcomesOf(ledger: Ledger, clock: Clock, answerMs: number): HeldOutcomes {
  const book = ledger.book ?? ledger;
  const held = HELD.get(book) ?? new HeldOutcomes(clock, answerMs);
  HELD.set(book, held);
  return held;
}

/**
 * Outcomes that a ledger failed to take. The process that knows one keeps it, answers with it, and writes it again with
 * exponential backoff until it is stored.
 */
export class HeldOutcomes {
  readonly #clock: Clock;
  readonly #answerMs: number;
  readonly #held = new Map<string, HeldOutcome>();
  #failures = 0;
  #retrying: Promise<void> | undefined;
  /** The latest error of the ledger. */
  #problem = "";

  /** A ledger that does not answer within `answerMs` has failed. */
  constructor(clock: Clock, answerMs: number) {
    this.#clock = clock;
    this.#answerMs = answerMs;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Why the ledger is behind; undefined while it is not. */
  get problem(): string | undefined {
    return this.size === 0 ? undefined : `${this.size} outcomes wait for the ledger: ${this.#problem}`;
  }

  get(executionId: string): HeldOutcome | undefined {
    return this.#held.get(executionId);
  }

  add(executionId: string, outcome: HeldOutcome, error: unknown): void {
    this.#problem = messageOf(error);
    this.#held.set(executionId, outcome);
    this.#retrying ??= this.#retry();
  }

  /** Writes one outcome now. False when the ledger still fails. */
  async store(executionId: string): Promise<boolean> {
    const held = this.#held.get(executionId);
    if (held === undefined) return true;
    const waiting = new AbortController();
    try {
      await Promise.race([held.write(), this.#silence(waiting.signal)]);
    } catch (error) {
      this.#problem = messageOf(error);
      return false;
    } finally {
      waiting.abort();
    }
    // A later outcome of the same execution may have come meanwhile.
    if (this.#held.get(executionId) === held) this.#held.delete(executionId);
    return true;
  }

  async #silence(answered: AbortSignal): Promise<void> {
    if (await sleep(this.#clock, this.#answerMs, answered)) throw new Error(silence(this.#answerMs));
  }

  /** For an executor that ends: tries a few times more. What is left is lost with the process, and unknown to the next one. */
  async flush(): Promise<void> {
    for (let tries = 1; this.size > 0 && tries <= LAST_TRIES; tries++) {
      await this.#storeAll();
      if (this.size > 0) await sleep(this.#clock, backoffDelay(tries, BACKOFF) ?? 0);
    }
  }

  async #retry(): Promise<void> {
    while (this.size > 0) {
      this.#failures += 1;
      await this.#pause(backoffDelay(this.#failures, BACKOFF) ?? 0);
      await this.#storeAll();
    }
    this.#failures = 0;
    this.#retrying = undefined;
  }

  /** All at once, so that a ledger can write them in one transaction. */
  async #storeAll(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((id) => this.store(id)));
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.set(resolve, ms);
      if (this.#failures > KEEPS_ALIVE) (timer as { unref?: () => void }).unref?.();
    });
  }
}
