import type { EventLog, Listener } from "@toolrig/core";
import type { Clock } from "@toolrig/core/kit";
import { EventQueue, type Queued } from "./event-queue.ts";
import type { Trace } from "./trace.ts";

/** Those who get the events of every run, as an option names them. */
export function listenersOf<Event>(events: EventLog<Event> | Listener<Event> | undefined): Listener<Event>[] {
  if (events === undefined) return [];
  return [typeof events === "function" ? events : (event) => events.append(event)];
}

/**
 * The events of one run. Nothing is built or kept while nobody listens, so a run whose events are not read costs
 * nothing for having them. Who starts to read late gets what happens from then on, and always the end.
 */
export class RunEvents<Event extends Queued, Fact extends { type: string }> {
  readonly #trace: Trace;
  readonly #clock: Clock;
  readonly #listeners: readonly Listener<Event>[];
  readonly #onFirst: () => void;
  readonly #queues = new Set<EventQueue<Event>>();
  #seq = 0;
  #last: Event | undefined;

  /** `onFirst` is called when the first reader comes, at the latest before the event it would miss. */
  constructor(trace: Trace, clock: Clock, listeners: readonly Listener<Event>[], onFirst: () => void) {
    this.#trace = trace;
    this.#clock = clock;
    this.#listeners = listeners;
    this.#onFirst = onFirst;
    if (listeners.length > 0) onFirst();
  }

  get active(): boolean {
    return this.#queues.size > 0 || this.#listeners.length > 0;
  }

  emit(fact: Fact): void {
    if (this.active) this.#send(this.#stamp(fact));
  }

  /** The last event. Whoever reads now or later gets it and then comes to the end. */
  end(fact: Fact): void {
    this.#last = this.#stamp(fact);
    this.#send(this.#last);
    for (const queue of this.#queues) queue.end();
    this.#queues.clear();
  }

  /** An event of the executor or of a run within, in place among the run's own. */
  forward({ seq: _, at: __, ...event }: Queued): void {
    if (this.active) this.#send(this.#stamp(event));
  }

  open(): AsyncIterator<Event, undefined> {
    const queue = new EventQueue<Event>(() => this.#queues.delete(queue));
    if (this.#last !== undefined) {
      queue.push(this.#last);
      queue.end();
      return queue;
    }
    if (!this.active) this.#onFirst();
    this.#queues.add(queue);
    return queue;
  }

  #stamp(fact: object): Event {
    this.#seq += 1;
    return { seq: this.#seq, at: this.#clock.now(), ...this.#trace, ...fact } as unknown as Event;
  }

  #send(event: Event): void {
    for (const listener of this.#listeners) tell(listener, event);
    for (const queue of this.#queues) queue.push(event);
  }
}

/** Watching a run never changes it. */
function tell<Event>(listener: Listener<Event>, event: Event): void {
  try {
    const answer = listener(event);
    if (answer instanceof Promise) answer.catch(() => {});
  } catch {
    // The listener's own affair.
  }
}
