import type { Cell } from "./cell.ts";
import { FairSlots } from "./fair-slots.ts";

export interface PoolOptions {
  /** Cells for runs of one principal, on each level. */
  size: number;
  /** Runs of one principal that wait for a cell, on each level. */
  queue: number;
  make(): Cell;
}

/**
 * Hands out cells, one per run. A cell whose run ended cleanly is kept for the next run. Slots are shared fairly between
 * principals. Each level has slots of its own: a run holds its cell while it waits for the runs that it called, and those never
 * wait for that cell.
 */
export class Pool {
  #options: PoolOptions;
  #idle: Cell[] = [];
  #busy = new Set<Cell>();
  #levels: FairSlots[] = [];

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Undefined when too many runs of the principal wait already, or when the signal aborts. */
  async take(at: number, who: string | undefined, signal: AbortSignal): Promise<Cell | undefined> {
    if (!(await this.#level(at).take(who, signal))) return undefined;
    const cell = this.#idle.findLast((each) => each.usable) ?? this.#options.make();
    this.#idle = this.#idle.filter((each) => each !== cell && each.usable);
    this.#busy.add(cell);
    return cell;
  }

  /** Takes a cell back after its run. A cell that may be spoiled is ended. */
  give(cell: Cell, at: number, who: string | undefined, reusable: boolean): void {
    this.#busy.delete(cell);
    if (!reusable || this.#idle.length >= this.#options.size) cell.kill();
    else if (cell.usable) this.#idle.push(cell);
    this.#level(at).give(who);
  }

  close(): void {
    for (const cell of [...this.#idle, ...this.#busy]) cell.kill();
    this.#idle = [];
  }

  #level(at: number): FairSlots {
    const level = this.#levels[at] ?? new FairSlots(this.#options);
    this.#levels[at] = level;
    return level;
  }
}
