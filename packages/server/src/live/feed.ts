import { randomBytes } from "node:crypto";
import type { Redactor } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { TrackedCall } from "../views/tracked-call.ts";
import type { CallLine, FeedMessage, RunLine } from "../wire.ts";

/** At most ten messages a second. */
const EVERY_MS = 100;
/** Lines of one message; more calls than that are counted. */
const MAX_LINES = 2_000;
/** What is kept for those who come back: half a minute at full speed, and never more than so many characters. */
const MAX_MESSAGES = 300;
const MAX_CHARACTERS = 16_000_000;
/** How long after the last reader left it goes on, so that one who comes back has missed nothing. */
const AWAKE_MS = 60_000;

interface Kept {
  readonly number: number;
  readonly text: string;
}

/**
 * What changes, told to whoever reads, a bit at a time. While nobody reads it costs nothing: what happens then is not kept.
 * Readers have a place in what is kept and nothing of their own, so that slow ones cost no more than quick ones.
 */
export class Feed {
  /** Of this process: numbers of another mean nothing here. */
  readonly #epoch = randomBytes(6).toString("hex");
  readonly #redactor: Redactor;
  readonly #now: () => number;
  readonly #kept: Kept[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #calls = new Map<string, TrackedCall | CallLine>();
  readonly #runs = new Map<string, RunLine>();
  #inbox: number | undefined;
  #more = 0;
  #characters = 0;
  #last = 0;
  #readers = 0;
  #leftAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(redactor: Redactor, now: () => number = () => performance.now()) {
    this.#redactor = redactor;
    this.#now = now;
  }

  get readers(): number {
    return this.#readers;
  }

  /** Whether anybody reads, or may come back. */
  get awake(): boolean {
    if (this.#readers > 0) return true;
    if (this.#now() - this.#leftAt < AWAKE_MS) return true;
    if (this.#kept.length > 0) this.#sleep();
    return false;
  }

  call(call: TrackedCall): void {
    if (!this.awake) return;
    const { executionId } = call.start;
    if (this.#calls.has(executionId)) return;
    const matters = call.sent || call.waiting !== undefined || call.end?.result.isError === true;
    if (this.#calls.size >= (matters ? 2 * MAX_LINES : MAX_LINES) && !call.sent) {
      if (call.end !== undefined) this.#more += 1;
      return;
    }
    this.#calls.set(executionId, call);
    this.#soon();
  }

  /** A line that somebody else made, such as of another process's call. */
  line(line: CallLine): void {
    if (!this.awake) return;
    if (this.#calls.size >= MAX_LINES) this.#more += 1;
    else this.#calls.set(line.executionId, line);
    this.#soon();
  }

  run(line: RunLine): void {
    if (!this.awake) return;
    this.#runs.set(line.runId, line);
    this.#soon();
  }

  inbox(count: number): void {
    if (!this.awake) return;
    this.#inbox = count;
    this.#soon();
  }

  /** The id of the latest message: what a list that is read now is as new as. */
  get id(): string {
    return `${this.#epoch}-${this.#last}`;
  }

  /** A place in the feed: after a message whose id a reader has, or at its end. Undefined when what came after it is gone. */
  placeAfter(id: string | undefined): number | undefined {
    if (id === undefined) return this.#last;
    const [epoch, number] = id.split("-");
    const place = Number(number);
    if (epoch !== this.#epoch || !Number.isInteger(place) || place > this.#last) return undefined;
    return this.#reaches(place) ? place : undefined;
  }

  /** Comes to read. Returns how to leave. */
  enter(): () => void {
    // What happened while nobody read is not known: whoever was there before is told of a gap.
    if (!this.awake) this.#last += 1;
    this.#readers += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#readers -= 1;
      this.#leftAt = this.#now();
    };
  }

  /** The message after a place; "gap" when it is gone; undefined when there is none yet. */
  next(place: number): Kept | "gap" | undefined {
    if (place >= this.#last) return undefined;
    if (!this.#reaches(place)) return "gap";
    return this.#kept[place + 1 - (this.#kept[0]?.number ?? 0)];
  }

  idOf(number: number): string {
    return `${this.#epoch}-${number}`;
  }

  get last(): number {
    return this.#last;
  }

  /** Resolves with the next message, after `timeoutMs`, or when `signal` is aborted. */
  news(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#waiting.add(done);
      signal.addEventListener("abort", done);
      if (signal.aborted) done();
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const done of [...this.#waiting]) done();
  }

  #reaches(place: number): boolean {
    return place === this.#last || (this.#kept[0] !== undefined && place + 1 >= this.#kept[0].number);
  }

  #soon(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#send(), EVERY_MS);
    this.#timer.unref();
  }

  #send(): void {
    this.#timer = undefined;
    const message: FeedMessage = {
      calls: Array.from(this.#calls.values(), (call) => this.#lineOf(call)),
      runs: [...this.#runs.values()],
      ...defined({ inbox: this.#inbox }),
      ...(this.#more > 0 && { more: this.#more }),
    };
    this.#calls.clear();
    this.#runs.clear();
    this.#inbox = undefined;
    this.#more = 0;
    this.#last += 1;
    this.#keep({ number: this.#last, text: JSON.stringify(message) });
    for (const done of [...this.#waiting]) done();
  }

  #lineOf(call: TrackedCall | CallLine): CallLine {
    if (!("start" in call)) return call;
    call.sent = true;
    return call.line(this.#redactor);
  }

  #keep(message: Kept): void {
    this.#kept.push(message);
    this.#characters += message.text.length;
    while (this.#kept.length > MAX_MESSAGES || this.#characters > MAX_CHARACTERS) {
      const gone = this.#kept.shift();
      if (gone === undefined) break;
      this.#characters -= gone.text.length;
    }
  }

  #sleep(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#kept.length = 0;
    this.#characters = 0;
    this.#calls.clear();
    this.#runs.clear();
    this.#more = 0;
    // A number that nobody has: all who come back are told of the gap.
    this.#last += 1;
  }
}
