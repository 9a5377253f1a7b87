import type { Clock } from "../../clock.ts";
import { isThenable } from "../../maybe-promise.ts";
import { type EndedWait, hasEnded, type Wait, type WaitStore } from "../../stores/waits.ts";

/** How a wait was seen to end. */
export interface SeenEnd {
  wait: EndedWait;
  /** Ended by this process, which then also sees to what follows. */
  here: boolean;
}

const POLL_MS = 500;

interface Holder {
  done(seen: SeenEnd | undefined): void;
  /** Whether it sees to what follows. Others only want to know. */
  settles: boolean;
}

/** Those in this process who wait for the end of a wait. They hear at once of what ends here, and soon of what ends elsewhere. */
export class WaitWatch {
  readonly #store: WaitStore;
  readonly #clock: Clock;
  readonly #held = new Map<string, Set<Holder>>();
  readonly #listeners = new Set<(wait: Wait) => unknown>();
  #polling = false;

  constructor(store: WaitStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Resolves when the wait has ended; with undefined when the signal aborts first, or there is no such wait. */
  async until(id: string, signal?: AbortSignal, settles = true): Promise<SeenEnd | undefined> {
    const known = this.#store.get(id);
    const wait = isThenable(known) ? await known : known;
    if (wait === undefined) return undefined;
    if (hasEnded(wait)) return { wait, here: false };
    if (signal?.aborted) return undefined;
    return new Promise((resolve) => {
      const done = (seen: SeenEnd | undefined) => {
        signal?.removeEventListener("abort", onAbort);
        const others = this.#held.get(id);
        others?.delete(holder);
        if (others?.size === 0) this.#held.delete(id);
        resolve(seen);
      };
      const holder = { done, settles };
      const onAbort = () => done(undefined);
      signal?.addEventListener("abort", onAbort, { once: true });
      const waiting = this.#held.get(id) ?? new Set();
      waiting.add(holder);
      this.#held.set(id, waiting);
      this.#poll();
    });
  }

  /** True when somebody here waits for it, who will see to what follows. */
  tell(wait: EndedWait): boolean {
    const waiting = [...(this.#held.get(wait.id) ?? [])];
    for (const { done, settles } of waiting) done({ wait, here: settles });
    this.announce(wait);
    return waiting.some(({ settles }) => settles);
  }

  /** Called for every wait that is seen to end in this process. */
  on(listener: (wait: Wait) => unknown): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  announce(wait: Wait): void {
    for (const listener of this.#listeners) {
      try {
        const answer = listener(wait);
        if (isThenable(answer)) answer.then(undefined, () => {});
      } catch {
        // Whoever listens cannot keep a call from ending.
      }
    }
  }

  #poll(): void {
    if (this.#polling || this.#held.size === 0) return;
    this.#polling = true;
    this.#clock.set(() => void this.#look(), POLL_MS);
  }

  async #look(): Promise<void> {
    for (const [id, waiting] of [...this.#held]) {
      try {
        const wait = await this.#store.get(id);
        if (wait === undefined || !hasEnded(wait)) continue;
        for (const { done } of [...waiting]) done({ wait, here: false });
      } catch {
        // A store that fails for a moment is asked again.
      }
    }
    this.#polling = false;
    this.#poll();
  }
}
