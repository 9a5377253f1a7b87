import type { ProgressUpdate } from "@toolrig/core";

/** How many reports wait for a reader who is slow; older ones are dropped, since each says how far things are now. */
const MAX_WAITING = 1_000;

type Step = IteratorResult<unknown, undefined>;

const OVER: Step = { done: true, value: undefined };

/**
 * What a tool tells while it runs, then what it comes to, as the AI SDK takes a stream of results: each value is preliminary, the
 * last one is the result. Made by hand, since nearly all calls tell nothing, and a generator costs as much as the call.
 */
export class Streamed implements AsyncIterableIterator<unknown, undefined, undefined> {
  #waiting: ProgressUpdate[] | undefined;
  #outcome: { value: unknown } | { error: unknown } | undefined;
  #reader: { resolve(step: Step): void; reject(error: unknown): void } | undefined;
  #isOver = false;
  /** What the reader was given last. */
  #last: { value: unknown } | undefined;

  constructor(run: (onProgress: (update: ProgressUpdate) => void) => Promise<unknown>) {
    const ended = (outcome: { value: unknown } | { error: unknown }) => {
      this.#outcome = outcome;
      this.#serve();
    };
    run((update) => {
      this.#waiting ??= [];
      if (this.#waiting.length >= MAX_WAITING) this.#waiting.shift();
      this.#waiting.push(update);
      this.#serve();
    }).then(
      (value) => ended({ value }),
      (error: unknown) => ended({ error }),
    );
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Step> {
    if (this.#isOver) return Promise.resolve(OVER);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#serve();
    });
  }

  /** Whoever stops listening has aborted the call by its signal. */
  return(): Promise<Step> {
    this.#isOver = true;
    return Promise.resolve(OVER);
  }

  /** Gives whoever waits what there is: first what was told, then what it came to. */
  #serve(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    const told = this.#waiting?.shift();
    if (told === undefined && this.#outcome === undefined) return;
    this.#reader = undefined;
    if (told !== undefined) {
      this.#last = { value: preliminary(told) };
      reader.resolve({ done: false, value: this.#last.value });
      return;
    }
    this.#isOver = true;
    if (this.#outcome === undefined || !("value" in this.#outcome)) reader.reject(this.#outcome?.error);
    else if (this.#last !== undefined && isSame(this.#last.value, this.#outcome.value)) reader.resolve(OVER);
    else reader.resolve({ done: false, value: this.#outcome.value });
  }
}

/** A generator of the AI SDK yields its result, which is told once. */
function isSame(one: unknown, other: unknown): boolean {
  try {
    return one === other || JSON.stringify(one) === JSON.stringify(other);
  } catch {
    return false;
  }
}

/** What a tool of the AI SDK yielded comes out as it was; other tools tell more than one thing. */
function preliminary({ content, details, progress }: ProgressUpdate): unknown {
  if (progress === undefined && content === undefined) return details;
  if (progress === undefined && details === undefined) return content;
  return { progress, content, details };
}
