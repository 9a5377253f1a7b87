/**
 * Text that may still be growing. Readers are generators over it: they yield when they need text that has not arrived
 * and continue when it has, so one reader serves whole texts and streams and never looks at a character twice because
 * of a chunk boundary. What a reader decides may depend on the text and on its end, never on where a chunk ended.
 */
export class Input {
  text: string;
  /** True once no more text will come. */
  closed: boolean;
  /** The furthest position a reader has looked at: what an attempt that led nowhere has cost. */
  reached = 0;
  /** How many values were left open at the end of the text: how often it was searched for what is not there. */
  openEnds = 0;
  /** The last search for each literal. */
  readonly #searches = new Map<string, { from: number; found: number }>();

  constructor(text = "", closed = false) {
    this.text = text;
    this.closed = closed;
  }

  /**
   * The position of `literal` at or after `position`, or -1 if it is not in the text so far. Answers the last search
   * for it again when nothing can have changed, so that looking ahead from many places for the same thing is one search.
   */
  indexOf(literal: string, position: number): number {
    const last = this.#searches.get(literal);
    if (last !== undefined && position >= last.from && position <= last.found) {
      return last.found === Number.POSITIVE_INFINITY ? -1 : last.found;
    }
    const found = this.text.indexOf(literal, position);
    if (found !== -1 || this.closed) {
      this.#searches.set(literal, { from: position, found: found === -1 ? Number.POSITIVE_INFINITY : found });
    }
    return found;
  }

  /** Forgets the first `count` characters; positions count from there. */
  drop(count: number): void {
    this.text = this.text.slice(count);
    for (const search of this.#searches.values()) {
      search.from -= count;
      search.found -= count;
    }
  }
}

/** A reader: yields to wait for more text, returns what it read. */
export type Reading<T> = Generator<undefined, T, undefined>;

/** Runs a reader over text that is all there. */
export function readAll<T>(reading: Reading<T>): T {
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
  }
}

/** Whether there is a character at `position`; waits until that is known. */
export function* has(input: Input, position: number): Reading<boolean> {
  if (position > input.reached) input.reached = position;
  while (position >= input.text.length) {
    if (input.closed) return false;
    yield;
  }
  return true;
}

/** Whether the text continues with `literal` at `position`; waits only as long as it still could. */
export function* startsWith(input: Input, position: number, literal: string): Reading<boolean> {
  if (position > input.reached) input.reached = position;
  for (;;) {
    const there = input.text.length - position;
    if (there >= literal.length) return input.text.startsWith(literal, position);
    if (!literal.startsWith(input.text.slice(position))) return false;
    if (input.closed) return false;
    yield;
  }
}

/** The first of `literals` that the text continues with at `position`. */
export function* startsWithAny(
  input: Input,
  position: number,
  literals: readonly string[],
): Reading<string | undefined> {
  for (const literal of literals) {
    if (yield* startsWith(input, position, literal)) return literal;
  }
  return undefined;
}

/** The position of the first character at or after `position` that is not white space. */
export function* skipSpace(input: Input, position: number): Reading<number> {
  let at = position;
  while ((at < input.text.length || (yield* has(input, at))) && isSpace(input.text.charCodeAt(at))) at++;
  return at;
}

/** The position of `literal` at or after `position`, or -1 if the text ends without it. Reads each character once. */
export function* find(input: Input, position: number, literal: string): Reading<number> {
  let from = position;
  for (;;) {
    const found = input.indexOf(literal, from);
    if (found !== -1 || input.closed) {
      input.reached = Math.max(input.reached, found === -1 ? input.text.length : found);
      return found;
    }
    from = Math.max(position, input.text.length - literal.length + 1);
    yield;
  }
}

/** As `find`, but only if `literal` begins within `limit` characters. Does not wait for more than it needs to. */
export function* findNear(input: Input, position: number, literal: string, limit: number): Reading<number> {
  for (;;) {
    const near = input.text.slice(position, position + limit + literal.length);
    const found = near.indexOf(literal);
    if (found !== -1) return position + found;
    if (input.closed || near.length === limit + literal.length) return -1;
    yield;
  }
}

/** The end of the line that `position` is in: the position of its line feed, or of the end of the text. */
export function* lineEnd(input: Input, position: number): Reading<number> {
  const found = yield* find(input, position, "\n");
  return found === -1 ? input.text.length : found;
}

export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff;
}

/** Whether a character can be part of a tool or parameter name as models write them. */
function isNameCharacter(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 45 ||
    code === 46 ||
    code > 0x7f
  );
}

/** The position of the first character at or after `position` that is one of `stops`, or of the end of the text. */
export function* untilAny(input: Input, position: number, stops: string): Reading<number> {
  let at = position;
  while ((at < input.text.length || (yield* has(input, at))) && !stops.includes(input.text.charAt(at))) at++;
  return at;
}

/** Reads a name (letters, digits, `_`, `-`, `.`, anything beyond ASCII) and returns where it ends. */
export function* nameEnd(input: Input, position: number): Reading<number> {
  let at = position;
  while ((at < input.text.length || (yield* has(input, at))) && isNameCharacter(input.text.charCodeAt(at)))
    at++;
  return at;
}

/** The first place from `start` on where one of `literals` stands. */
export function firstOf(
  text: string,
  start: number,
  literals: readonly string[],
): { at: number; end: number } | undefined {
  let first: { at: number; end: number } | undefined;
  for (const literal of literals) {
    const at = text.indexOf(literal, start);
    if (at !== -1 && (first === undefined || at < first.at)) first = { at, end: at + literal.length };
  }
  return first;
}
