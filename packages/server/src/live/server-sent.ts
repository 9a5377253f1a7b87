import { RequestProblem } from "../http/problem.ts";
import { type Reply, reply } from "../http/reply.ts";
import type { Feed } from "./feed.ts";

/** How often a quiet stream says that it is alive, so that both ends notice when the other is gone. */
const BEAT_MS = 15_000;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/** One event as a stream has it. Data is JSON, so it has no line breaks of its own. */
export function sseEvent(event: string, data: string, id?: string): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}

export interface SsePull {
  /** The next piece, undefined at the end. It is asked for when the reader has taken the last one. */
  next(signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/** Who reads a stream: until they leave, or what they came in with is no longer good. */
export interface StreamReader {
  readonly signal: AbortSignal;
  readonly ended: AbortSignal;
}

/** The streams that are open: so many, each with as much of it in memory as its reader has asked for. */
export class Streams {
  readonly #most: number;
  readonly #closing: AbortSignal;
  #open = 0;

  constructor(most: number, closing: AbortSignal) {
    this.#most = most;
    this.#closing = closing;
  }

  /** Throws a problem when there are as many as may be. */
  open(reader: StreamReader, pull: () => SsePull): Reply {
    if (this.#open >= this.#most)
      throw new RequestProblem("OVERLOADED", `${this.#most} streams are open already.`, {
        retryAfterMs: 5_000,
      });
    this.#open += 1;
    return reply(this.#body(reader, pull()), { headers: HEADERS });
  }

  #body(reader: StreamReader, pull: SsePull): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    const ended = new AbortController();
    const ends = [reader.signal, reader.ended, this.#closing];
    const end = () => {
      if (ended.signal.aborted) return;
      ended.abort();
      this.#open -= 1;
      for (const each of ends) each.removeEventListener("abort", end);
      pull.close();
    };
    for (const each of ends) {
      each.addEventListener("abort", end);
      if (each.aborted) end();
    }
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const piece = ended.signal.aborted ? undefined : await pull.next(ended.signal);
          if (piece !== undefined && !ended.signal.aborted) return controller.enqueue(encoder.encode(piece));
          end();
          controller.close();
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    );
  }
}

/** The feed, after the message that a reader had last. */
export function feedPull(feed: Feed, after: string | undefined): SsePull {
  const leave = feed.enter();
  const place = feed.placeAfter(after);
  let at = place ?? feed.last;
  let first = true;
  const next = async (ended: AbortSignal): Promise<string | undefined> => {
    if (first) {
      first = false;
      if (place === undefined) return sseEvent("gap", "{}", feed.idOf(at));
      // So that a reader who is cut off before the first message can come back for it.
      return sseEvent("open", "{}", feed.idOf(at));
    }
    const message = feed.next(at);
    if (message === "gap") {
      at = feed.last;
      return sseEvent("gap", "{}", feed.idOf(at));
    }
    if (message !== undefined) {
      at = message.number;
      return sseEvent("feed", message.text, feed.idOf(at));
    }
    await feed.news(BEAT_MS, ended);
    if (ended.aborted) return undefined;
    return feed.next(at) === undefined ? ": \n\n" : next(ended);
  };
  return { next, close: leave };
}
