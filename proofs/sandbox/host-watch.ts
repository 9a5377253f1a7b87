/** How long the host's event loop was held up by work of its own, and how much memory the process took at most. */
export interface HostSeen {
  blockedMs: number;
  peakRss: number;
}

const TICK_MS = 5;

/**
 * Watches this thread. A late tick counts only as far as the thread itself was at work: on a machine that is busy, it may just
 * as well have waited for a processor.
 */
export class HostWatch {
  #seen: HostSeen = { blockedMs: 0, peakRss: process.memoryUsage.rss() };
  #at = performance.now();
  #cpu = cpuMs();
  #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Returns the observations since the last call. */
  take(): HostSeen {
    const seen = this.#seen;
    this.#seen = { blockedMs: 0, peakRss: process.memoryUsage.rss() };
    return seen;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const [at, cpu] = [performance.now(), cpuMs()];
    const blocked = Math.min(at - this.#at - TICK_MS, cpu - this.#cpu);
    this.#seen.blockedMs = Math.max(this.#seen.blockedMs, blocked);
    this.#seen.peakRss = Math.max(this.#seen.peakRss, process.memoryUsage.rss());
    [this.#at, this.#cpu] = [at, cpu];
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
