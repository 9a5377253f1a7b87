/**
 * Calls that may be what killed their workers run one after the other in a process, so that the innocent do not use up their
 * attempts together with the one that is not.
 */
export class Suspects {
  readonly #leaving = new Map<string, () => void>();
  #last: Promise<void> = Promise.resolve();

  /** Resolves when no other suspect runs here, and keeps it so until this one leaves. Who is inside stays inside. */
  async enter(key: string): Promise<void> {
    if (this.#leaving.has(key)) return;
    const before = this.#last;
    this.#last = new Promise((resolve) => {
      this.#leaving.set(key, resolve);
    });
    await before;
  }

  /** Lets the next one in. For a call that was no suspect it does nothing. */
  leave(key: string): void {
    this.#leaving.get(key)?.();
    this.#leaving.delete(key);
  }
}
