/** How often the event loop is looked at. */
const EVERY_MS = 5;

/**
 * How long the event loop was held up. A timer asks every few milliseconds how much of the processor this thread has had since it last
 * ran: all of that went to one turn of the loop. On a busy machine the thread waits for its processor, which is not its doing and does
 * not count; nothing that this program does for long goes unseen.
 */
export class LoopWatch {
  /** Turns that took long enough to be looked at, by when they ended. */
  readonly #long: { at: number; ms: number }[] = [];
  #timer: NodeJS.Timeout | undefined;

  start(): this {
    let wall = performance.now();
    let used = usedMs();
    this.#timer = setInterval(() => {
      const [now, usedNow] = [performance.now(), usedMs()];
      const ms = Math.min(now - wall, usedNow - used);
      if (ms > EVERY_MS) this.#long.push({ at: now, ms });
      [wall, used] = [now, usedNow];
    }, EVERY_MS);
    return this;
  }

  /** The longest hold-up in milliseconds since a time of `performance.now()`. */
  longestSince(time: number): number {
    return Math.max(0, ...this.#long.filter(({ at }) => at >= time).map(({ ms }) => ms));
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
