import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { errorCode } from "../confine/system-error.ts";
import { SAMPLE } from "../files/encoding.ts";
import type { Pattern } from "./pattern.ts";

/** A line of a file that matches, or that stands beside one that does. */
export interface FoundLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** Only shown for what is beside it. */
  readonly context?: true;
}

export interface Found {
  readonly lines: readonly FoundLine[];
  readonly count: number;
  /** Lines that are too long to tell. */
  readonly tooLong: number;
}

export interface SearchWanted {
  readonly pattern: Pattern;
  /** Matching lines after which the file is left. */
  readonly limit: number;
  /** Lines beside each. */
  readonly context: number;
  readonly signal: AbortSignal;
}

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;
const READ = O_RDONLY | (O_NONBLOCK ?? 0) | (O_NOFOLLOW ?? 0) | (O_NOCTTY ?? 0);
const CHUNK = 262_144;
/** How long the event loop is kept at most, in ms, but for a single line. */
const TURN = 10;
/** Copied by whoever waits before being done with what it holds. */
const SHARED = Buffer.allocUnsafeSlow(CHUNK);
/** A line that is longer is not held in memory to its end. */
const MAX_LINE = 4 * 1024 * 1024;
const MAX_SHOWN = 500;

/**
 * Searches what is at a path that leads through held folders. Undefined for what is no regular file, or is binary. Small
 * files are read synchronously: for thousands of them, waiting for each would be most of the time.
 */
export async function searchAt(at: string, wanted: SearchWanted): Promise<Found | "unreadable" | undefined> {
  let fd: number;
  try {
    fd = openSync(at, READ);
  } catch (error) {
    // Gone, or a link by now: then there is no such file. A name that is not UTF-8 cannot be spelt, and is not found either.
    const isGone = ["ENOENT", "ELOOP"].includes(errorCode(error) ?? "");
    return isGone && !isUnspellable(at) ? undefined : "unreadable";
  }
  try {
    return fstatSync(fd).isFile() ? await searchOpen(fd, wanted) : undefined;
  } finally {
    closeSync(fd);
  }
}

/** Whether a name is not UTF-8: what it was decoded to names nothing. */
export function isUnspellable(name: string): boolean {
  return name.includes("\ufffd");
}

/** Searches an open file line by line, without holding more of it than a chunk and a line. Undefined for a binary one. */
export async function searchOpen(fd: number, wanted: SearchWanted): Promise<Found | undefined> {
  const search = new LineSearch(wanted);
  let rest = EMPTY;
  let turn = performance.now();
  for (let offset = 0; !search.isOver; ) {
    let chunk = SHARED.subarray(0, readSync(fd, SHARED, 0, CHUNK, offset));
    if (chunk.length === 0) break;
    if (offset === 0) {
      if (chunk.subarray(0, SAMPLE).includes(0)) return undefined;
      if (chunk.length < CHUNK && !wanted.pattern.mayOccur(chunk)) return NOTHING;
    }
    offset += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1 && !search.isOver; end = chunk.indexOf(10, start)) {
      const line = chunk.subarray(start, end);
      search.take(rest.length === 0 ? line : Buffer.concat([rest, line]));
      rest = EMPTY;
      start = end + 1;
      if (performance.now() - turn < TURN) continue;
      // Somebody else may fill what is shared meanwhile.
      if (chunk.buffer === SHARED.buffer) chunk = Buffer.from(chunk);
      await setImmediate();
      wanted.signal.throwIfAborted();
      turn = performance.now();
    }
    if (rest.length < MAX_LINE) rest = Buffer.concat([rest, chunk.subarray(start)]);
    if (performance.now() - turn < TURN) continue;
    await setImmediate();
    wanted.signal.throwIfAborted();
    turn = performance.now();
  }
  if (rest.length > 0 && !search.isOver) search.take(rest);
  return search.found();
}

const EMPTY = Buffer.alloc(0);
const NOTHING: Found = { lines: [], count: 0, tooLong: 0 };

class LineSearch {
  readonly #wanted: SearchWanted;
  readonly #lines: FoundLine[] = [];
  #before: FoundLine[] = [];
  #number = 0;
  #count = 0;
  #tooLong = 0;
  #after = 0;

  constructor(wanted: SearchWanted) {
    this.#wanted = wanted;
  }

  get isOver(): boolean {
    return this.#count >= this.#wanted.limit && this.#after === 0;
  }

  take(bytes: Buffer): void {
    this.#number += 1;
    const { pattern, limit, context } = this.#wanted;
    const text = lineText(bytes, this.#number === 1);
    const matches = bytes.length >= MAX_LINE ? undefined : pattern.test(text);
    if (matches === undefined) this.#tooLong += 1;
    const shown = { line: this.#number, text: shorten(text) };
    if (matches === true && this.#count < limit) {
      this.#count += 1;
      this.#lines.push(...this.#before, shown);
      this.#before = [];
      this.#after = context;
    } else if (this.#after > 0) {
      this.#after -= 1;
      this.#lines.push({ ...shown, context: true });
    } else if (context > 0) {
      this.#before.push({ ...shown, context: true });
      if (this.#before.length > context) this.#before.shift();
    }
  }

  found(): Found {
    return { lines: this.#lines, count: this.#count, tooLong: this.#tooLong };
  }
}

/** Without its end, and without the mark of the file. */
function lineText(bytes: Buffer, first: boolean): string {
  const end = bytes.at(-1) === 13 ? bytes.length - 1 : bytes.length;
  const text = bytes.toString("utf8", 0, end);
  return first && text.startsWith("\ufeff") ? text.slice(1) : text;
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
