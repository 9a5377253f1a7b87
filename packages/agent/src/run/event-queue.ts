/** What a queue needs to know of an event. */
export interface Queued {
  seq: number;
  at: number;
  type: string;
}

const CAPACITY = 10_000;

/**
 * The events one reader has not read yet. It never holds up the run and never grows without bound: text that piles up
 * is joined, and beyond `capacity` the oldest events are left out and counted.
 */
export class EventQueue<Event extends Queued> implements AsyncIterator<Event, undefined> {
  readonly #capacity: number;
  readonly #onLeave: () => void;
  #events: Event[] = [];
  #head = 0;
  #dropped = 0;
  #waiting: ((step: IteratorResult<Event, undefined>) => void)[] = [];
  #ended = false;

  constructor(onLeave: () => void, capacity = CAPACITY) {
    this.#onLeave = onLeave;
    this.#capacity = capacity;
  }

  push(event: Event): void {
    const reader = this.#waiting.shift();
    if (reader !== undefined) reader({ done: false, value: event });
    else if (!this.#joinText(event)) this.#keep(event);
  }

  #keep(event: Event): void {
    this.#events.push(event);
    if (this.#events.length - this.#head > this.#capacity) {
      this.#head += 1;
      this.#dropped += 1;
      if (this.#head > this.#capacity) this.#compact();
    }
  }

  end(): void {
    this.#ended = true;
    for (const reader of this.#waiting.splice(0)) reader({ done: true, value: undefined });
  }

  next(): Promise<IteratorResult<Event, undefined>> {
    const event = this.#events[this.#head];
    if (event !== undefined && this.#dropped > 0)
      return Promise.resolve({ done: false, value: this.#loss(event) });
    if (event !== undefined) {
      this.#head += 1;
      if (this.#head >= 1_024) this.#compact();
      return Promise.resolve({ done: false, value: event });
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<IteratorResult<Event, undefined>> {
    this.#onLeave();
    this.#events = [];
    this.#head = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  #joinText(event: Event): boolean {
    const last = this.#events.length > this.#head ? this.#events.at(-1) : undefined;
    if (last?.type !== event.type || !isTextual(event) || !isTextual(last)) return false;
    if (last.turn !== event.turn || last.runId !== event.runId) return false;
    this.#events[this.#events.length - 1] = { ...event, text: last.text + event.text };
    return true;
  }

  /** Carries the correlation of the event after the gap. */
  #loss(next: Event): Event {
    const { seq, at, runId, requestId } = next as Event & { runId?: string; requestId?: string };
    const count = this.#dropped;
    this.#dropped = 0;
    return { seq: seq - 1, at, runId, requestId, type: "events.dropped", count } as unknown as Event;
  }

  #compact(): void {
    this.#events = this.#events.slice(this.#head);
    this.#head = 0;
  }
}

function isTextual(event: Queued): event is Queued & { text: string; turn: number; runId: string } {
  return event.type === "text" || event.type === "reasoning";
}
