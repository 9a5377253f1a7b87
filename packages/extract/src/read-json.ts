import { has, Input, isSpace, type Reading, readAll, skipSpace, startsWithAny } from "./input.ts";

/** Where a JSON value stands in the text. `complete` is false if it was cut off or a closing bracket is missing. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
  readonly complete: boolean;
}

/** A member of an object, or an element of an array (whose key is ""). */
export interface JsonMember extends JsonSpan {
  readonly key: string;
}

const BACKSLASH = 92;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const COMMA = 44;
const COLON = 58;

/**
 * Finds the end of an object or array by reading it, so that brackets, tags and quotes inside its strings do not
 * count. Tolerates what models get wrong (single quotes, raw line feeds and unescaped quotes in strings, bare keys,
 * missing closers) and says where the value ends; what it means is for the decoder. A `stops` literal outside a string
 * ends the value early. Undefined if this is not the beginning of an object or array, or not JSON at all.
 */
export function* readJson(
  input: Input,
  start: number,
  stops: readonly string[] = [],
): Reading<JsonSpan | undefined> {
  if (!(yield* has(input, start)) || !isOpener(input.text.charCodeAt(start))) return undefined;
  const closers: number[] = [];
  const open = { [CLOSE_BRACE]: 0, [CLOSE_BRACKET]: 0 };
  let missing = false;
  let previous = 0;
  let at = start;
  while (at < input.text.length || (yield* has(input, at))) {
    const code = input.text.charCodeAt(at);
    if (
      closers.length > 0 &&
      isStopStart(code, stops) &&
      (yield* startsWithAny(input, at, stops)) !== undefined
    ) {
      return { start, end: trimEnd(input.text, start, at), complete: false };
    }
    if (isQuote(code, previous)) {
      const end = yield* stringEnd(input, at, stops);
      if (end === -1) return cutInString(input, start, stops);
      at = end;
    } else if (isOpener(code)) {
      const closer = code === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
      closers.push(closer);
      open[closer]++;
      at++;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      at++;
      if (open[code] > 0) {
        for (;;) {
          const closer = closers.pop() === CLOSE_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
          open[closer]--;
          if (closer === code) break;
          missing = true;
        }
      }
      if (closers.length === 0) return { start, end: at, complete: !missing };
    } else if (code === 60 || code === 96) {
      input.reached = Math.max(input.reached, at);
      return undefined;
    } else {
      at++;
    }
    if (!isSpace(code)) previous = code;
  }
  return { start, end: trimEnd(input.text, start, input.text.length), complete: false };
}

/** Reads a string, number, word, object or array. */
function* readValue(input: Input, start: number): Reading<JsonSpan> {
  const code = input.text.charCodeAt(start);
  if (isOpener(code)) {
    return (yield* readJson(input, start)) ?? { start, end: input.text.length, complete: false };
  }
  if (isQuote(code, COLON)) {
    const end = yield* stringEnd(input, start, []);
    return end === -1 ? { start, end: input.text.length, complete: false } : { start, end, complete: true };
  }
  let at = start;
  while (at < input.text.length && !isDelimiter(input.text.charCodeAt(at))) at++;
  return { start, end: trimEnd(input.text, start, at), complete: at < input.text.length };
}

/** The members of an object or the elements of an array that `span` covers, one level deep. */
export function jsonMembers(text: string, span: JsonSpan): JsonMember[] {
  const inside = new Input(text.slice(span.start, span.end), true);
  return readAll(readMembers(inside, span));
}

function* readMembers(input: Input, span: JsonSpan): Reading<JsonMember[]> {
  const members: JsonMember[] = [];
  const keyed = input.text.charCodeAt(0) === OPEN_BRACE;
  const end = span.complete ? input.text.length - 1 : input.text.length;
  let at = 1;
  while (at < end) {
    const code = input.text.charCodeAt(at);
    if (isSpace(code) || isDelimiter(code) || code === COLON) {
      at++;
      continue;
    }
    let key = "";
    if (keyed) {
      const colon = yield* keyEnd(input, at);
      key = literalText(input.text.slice(at, colon));
      at = colon < end ? yield* skipSpace(input, colon + 1) : end;
      if (at >= end) break;
    }
    const value = yield* readValue(input, at);
    members.push({
      key,
      start: span.start + value.start,
      end: span.start + value.end,
      complete: value.complete,
    });
    at = Math.max(value.end, at + 1);
  }
  return members;
}

function* keyEnd(input: Input, start: number): Reading<number> {
  let at = start;
  if (isQuote(input.text.charCodeAt(at), COMMA)) {
    const end = yield* stringEnd(input, at, []);
    at = end === -1 ? input.text.length : end;
  }
  while (at < input.text.length && input.text.charCodeAt(at) !== COLON) at++;
  return at;
}

/**
 * The position after the string that begins at `start`, or -1 if the text ends inside it. A quote closes the string
 * only where a value may end: before a comma, colon, closing bracket, stop or the end. Well-formed strings always
 * close there, and an unescaped quote inside one mostly does not.
 */
function* stringEnd(input: Input, start: number, stops: readonly string[]): Reading<number> {
  const close = closingQuote(input.text.charCodeAt(start));
  let at = start + 1;
  while (at < input.text.length || (yield* has(input, at))) {
    const code = input.text.charCodeAt(at);
    if (code === BACKSLASH) {
      at += 2;
      continue;
    }
    at++;
    if (code !== close) continue;
    const next = yield* skipSpace(input, at);
    if (next >= input.text.length) return at;
    const after = input.text.charCodeAt(next);
    if (isDelimiter(after) || after === COLON) return at;
    if (input.text.slice(at, next).includes("\n") && isQuote(after, COMMA)) return at;
    if (isStopStart(after, stops) && (yield* startsWithAny(input, next, stops)) !== undefined) return at;
  }
  return -1;
}

/** The text ended inside a string. Only a stop that is the last thing in the text is taken to be outside of it. */
function cutInString(input: Input, start: number, stops: readonly string[]): JsonSpan {
  const text = input.text.trimEnd();
  const stop = stops.find((literal) => text.endsWith(literal));
  return { start, end: stop === undefined ? input.text.length : text.length - stop.length, complete: false };
}

/** What a key, or the value of a name, says without its quotes. */
export function literalText(raw: string): string {
  const text = raw.trim();
  const code = text.charCodeAt(0);
  if (!isQuote(code, COLON)) return text;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string") return value;
  } catch {
    // Not well formed: what stands between the quotes is the best reading.
  }
  return text.slice(1, text.charCodeAt(text.length - 1) === closingQuote(code) ? -1 : undefined);
}

function isOpener(code: number): boolean {
  return code === OPEN_BRACE || code === OPEN_BRACKET;
}

function isDelimiter(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET;
}

/** An apostrophe opens a string only where a key or value may begin. */
function isQuote(code: number, previous: number): boolean {
  if (code === 34 || code === 0x201c) return true;
  if (code !== 39) return false;
  return previous === 0 || previous === COMMA || previous === COLON || isOpener(previous);
}

function closingQuote(code: number): number {
  return code === 0x201c ? 0x201d : code;
}

function isStopStart(code: number, stops: readonly string[]): boolean {
  for (const stop of stops) if (stop.charCodeAt(0) === code) return true;
  return false;
}

function trimEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isSpace(text.charCodeAt(at - 1))) at--;
  return at;
}
