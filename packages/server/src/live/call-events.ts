import type { EventStream, Redactor } from "@toolrig/core";
import type { CallStatus } from "../wire.ts";
import { type SsePull, sseEvent } from "./server-sent.ts";

const BEAT_MS = 15_000;
const BEAT = ": \n\n";
/** What waits for a reader; one that is slower is told how many it missed. */
const MOST = 500;

/** How often it is looked whether a call has ended elsewhere. */
const LOOK_MS = 1_000;

interface Sources {
  readonly rig: { readonly events: EventStream };
  readonly redactor: Redactor;
}

/**
 * The events of one call, from now on, until it is over: `call.end` comes once, also for one that is over already or that ends in
 * another process. `look` says how it stands.
 */
export function eventsOfCall(
  { rig, redactor }: Sources,
  executionId: string,
  look: () => Promise<CallStatus | undefined>,
): SsePull {
  const queue = new EventQueue();
  const tell = (event: { type: string }) => {
    queue.add(event.type, () => JSON.stringify(redactor.fact(event)));
    if (event.type === "call.end") queue.end();
  };
  const stop = rig.events.on((event) => {
    if (event.executionId === executionId) tell(event);
  });
  const lookForEnd = () =>
    look().then(
      (status) => {
        if (status?.result === undefined || status.state === "waiting") return;
        const { result, line } = status;
        const { callId, name, startedAt, endedAt } = line;
        tell({ type: "call.end", ...{ executionId, callId, name, startedAt, endedAt, result } });
      },
      // A store that cannot be read now is asked again.
      () => {},
    );
  const timer = setInterval(lookForEnd, LOOK_MS);
  timer.unref();
  void lookForEnd();
  let isFirst = true;
  return {
    next(ended) {
      if (!isFirst) return queue.next(ended);
      isFirst = false;
      // So that whoever waits for what may take days knows that it is followed.
      return Promise.resolve(BEAT);
    },
    close() {
      clearInterval(timer);
      stop();
      queue.end();
    },
  };
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
    return isAwake ? this.next(signal) : BEAT;
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
