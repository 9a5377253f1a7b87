import type { CallEvent, EventStream, Redactor } from "@toolrig/core";
import { type SsePull, sseEvent } from "./server-sent.ts";

const BEAT_MS = 15_000;
/** What waits for a reader; one that is slower is told how many it missed. */
const MOST = 500;

interface Sources {
  readonly rig: { readonly events: EventStream };
  readonly live: { readonly calls: { get(executionId: string): { end?: unknown } | undefined } };
  readonly redactor: Redactor;
}

/** The events of one call, from now on, until it is over. */
export function eventsOfCall({ rig, live, redactor }: Sources, executionId: string): SsePull {
  const queue = new EventQueue();
  const stop = rig.events.on((event) => {
    if (event.executionId !== executionId) return;
    queue.add(event.type, () => JSON.stringify(redactor.value(event)));
    if (isLast(event)) queue.end();
  });
  // What is over, and what was never here, has no more to tell.
  if (live.calls.get(executionId) === undefined || live.calls.get(executionId)?.end !== undefined)
    queue.end();
  return {
    next: (ended) => queue.next(ended),
    close() {
      stop();
      queue.end();
    },
  };
}

function isLast(event: CallEvent): boolean {
  return event.type === "call.end" || (event.type === "call.waiting" && event.parked);
}

/** Events that wait to be read: so many, and then they are counted. */
export class EventQueue implements Pick<SsePull, "next"> {
  readonly #events: { type: string; data: () => string }[] = [];
  #dropped = 0;
  #ended = false;
  #wake: () => void = () => {};

  /** `data` is made when it is read. */
  add(type: string, data: () => string): void {
    if (this.#ended) return;
    if (this.#events.length >= MOST) this.#dropped += 1;
    else this.#events.push({ type, data });
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async next(signal: AbortSignal): Promise<string | undefined> {
    const event = this.#events.shift();
    if (event !== undefined) return sseEvent(event.type, event.data());
    if (this.#dropped > 0) {
      const count = this.#dropped;
      this.#dropped = 0;
      return sseEvent("events.dropped", JSON.stringify({ count }));
    }
    if (this.#ended || signal.aborted) return undefined;
    const isAwake = await this.#news(signal);
    if (signal.aborted) return undefined;
    return isAwake ? this.next(signal) : ": \n\n";
  }

  /** False when nothing came for a while. */
  #news(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), BEAT_MS);
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        resolve(true);
      };
      this.#wake = wake;
      signal.addEventListener("abort", wake);
    });
  }
}
