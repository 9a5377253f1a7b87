import type { CallEvent } from "@toolrig/core";
import type { Clock } from "@toolrig/core/kit";

/** A call under way. */
interface UnderWay {
  parentId: string | undefined;
  waits: boolean;
}

/** The time that a run may take. It stands still while all that is under way waits for the world. */
export class TimeBudget {
  readonly #clock: Clock;
  readonly #onUp: () => void;
  readonly #calls = new Map<string, UnderWay>();
  #leftMs: number;
  #timer: unknown;
  #since = 0;
  #thinking = false;
  #over = false;

  constructor(clock: Clock, ms: number, onUp: () => void) {
    this.#clock = clock;
    this.#leftMs = ms;
    this.#onUp = onUp;
  }

  start(): void {
    this.#since = this.#clock.now();
    this.#timer = this.#clock.set(() => this.#up(), this.#leftMs);
  }

  stop(): void {
    this.#over = true;
    this.#clock.clear(this.#timer);
  }

  /** The model is being asked: time goes on, whatever waits. */
  async thinking<T>(asked: Promise<T>): Promise<T> {
    this.#thinking = true;
    this.#move();
    try {
      return await asked;
    } finally {
      this.#thinking = false;
      this.#move();
    }
  }

  /** Hears what becomes of the run's calls. */
  see(event: CallEvent): void {
    const { executionId, parentId } = event;
    if (event.type === "call.start") this.#calls.set(executionId, { parentId, waits: false });
    else if (event.type === "call.end" || event.type === "call.settled") this.#calls.delete(executionId);
    else if (event.type === "call.waiting" && event.parked) this.#calls.delete(executionId);
    else if (event.type === "call.waiting") this.#note(executionId, event.waiting.kind !== "background");
    else if (event.type === "call.resumed") this.#note(executionId, false);
    else return;
    this.#move();
  }

  #note(executionId: string, waits: boolean): void {
    const call = this.#calls.get(executionId);
    if (call !== undefined) call.waits = waits;
  }

  /** A call whose own call waits is at rest with it. */
  get #isAtRest(): boolean {
    if (this.#thinking || this.#calls.size === 0) return false;
    const callers = new Set(Array.from(this.#calls.values(), ({ parentId }) => parentId));
    for (const [id, { waits }] of this.#calls) if (!waits && !callers.has(id)) return false;
    return true;
  }

  #move(): void {
    if (this.#over || this.#isAtRest === (this.#timer === undefined)) return;
    if (this.#timer === undefined) {
      this.start();
      return;
    }
    this.#clock.clear(this.#timer);
    this.#timer = undefined;
    this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.now() - this.#since));
  }

  #up(): void {
    this.#over = true;
    this.#onUp();
  }
}
