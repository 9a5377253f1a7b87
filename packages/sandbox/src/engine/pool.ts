import type { Cell } from "./cell.ts";

export interface PoolOptions {
  /** Cells for runs of each level. */
  size: number;
  /** Runs of each level that wait for a cell. */
  queue: number;
  make(): Cell;
}

/** Runs that are calls of as many other runs. */
interface Level {
  taken: number;
  readonly queue: { resolve(granted: boolean): void }[];
}

/**
 * Hands out cells, one run each. What was used well is kept for the next run. Each level has cells of its own: a run holds its
 * cell while it waits for those that it called, and they never wait for that.
 */
export class Pool {
  #options: PoolOptions;
  #idle: Cell[] = [];
  #busy = new Set<Cell>();
  #levels: Level[] = [];

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Undefined where there are too many runs already, or the signal aborted. */
  async take(at: number, signal: AbortSignal): Promise<Cell | undefined> {
    const { size, queue } = this.#options;
    const level = this.#level(at);
    if (level.taken >= size) {
      if (level.queue.length >= queue) return undefined;
      if (!(await turn(level, signal))) return undefined;
    } else level.taken += 1;
    const cell = this.#idle.findLast((each) => each.usable) ?? this.#options.make();
    this.#idle = this.#idle.filter((each) => each !== cell && each.usable);
    this.#busy.add(cell);
    return cell;
  }

  /** After a run. A cell that may be spoiled is ended. */
  give(cell: Cell, at: number, reusable: boolean): void {
    this.#busy.delete(cell);
    if (!reusable || this.#idle.length >= this.#options.size) cell.kill();
    else if (cell.usable) this.#idle.push(cell);
    const level = this.#level(at);
    const next = level.queue.shift();
    if (next !== undefined) next.resolve(true);
    else level.taken -= 1;
  }

  close(): void {
    for (const cell of [...this.#idle, ...this.#busy]) cell.kill();
    this.#idle = [];
  }

  #level(at: number): Level {
    const level = this.#levels[at] ?? { taken: 0, queue: [] };
    this.#levels[at] = level;
    return level;
  }
}

/** A place that is handed on counts as taken all the while. */
function turn({ queue }: Level, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const waiter = { resolve };
    queue.push(waiter);
    signal.addEventListener("abort", () => {
      const at = queue.indexOf(waiter);
      if (at < 0) return;
      queue.splice(at, 1);
      resolve(false);
    });
  });
}
