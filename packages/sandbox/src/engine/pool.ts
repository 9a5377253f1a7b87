import type { Cell } from "./cell.ts";

export interface PoolOptions {
  /** Cells for runs of their own. */
  size: number;
  /** Cells besides, for runs within runs. */
  nested: number;
  /** Runs that wait for a cell. */
  queue: number;
  make(): Cell;
}

/** Hands out cells, one run each. What was used well is kept for the next run. */
export class Pool {
  #options: PoolOptions;
  #idle: Cell[] = [];
  #busy = new Set<Cell>();
  #taken = { own: 0, nested: 0 };
  #queue: { resolve(granted: boolean): void }[] = [];

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Undefined where there are too many runs already, or the signal aborted. */
  async take(nested: boolean, signal: AbortSignal): Promise<Cell | undefined> {
    const { size, queue, nested: mostNested } = this.#options;
    const kind = nested ? "nested" : "own";
    if (this.#taken[kind] >= (nested ? mostNested : size)) {
      if (nested || this.#queue.length >= queue) return undefined;
      if (!(await this.#turn(signal))) return undefined;
    } else this.#taken[kind] += 1;
    const cell = this.#idle.findLast((each) => each.usable) ?? this.#options.make();
    this.#idle = this.#idle.filter((each) => each !== cell && each.usable);
    this.#busy.add(cell);
    return cell;
  }

  /** After a run. A cell that may be spoiled is ended. */
  give(cell: Cell, nested: boolean, reusable: boolean): void {
    this.#busy.delete(cell);
    if (!reusable || this.#idle.length >= this.#options.size) cell.kill();
    else if (cell.usable) this.#idle.push(cell);
    const next = nested ? undefined : this.#queue.shift();
    if (next !== undefined) next.resolve(true);
    else this.#taken[nested ? "nested" : "own"] -= 1;
  }

  close(): void {
    for (const cell of [...this.#idle, ...this.#busy]) cell.kill();
    this.#idle = [];
  }

  /** A place that is handed on counts as taken all the while. */
  #turn(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter = { resolve };
      this.#queue.push(waiter);
      signal.addEventListener("abort", () => {
        const at = this.#queue.indexOf(waiter);
        if (at < 0) return;
        this.#queue.splice(at, 1);
        resolve(false);
      });
    });
  }
}
