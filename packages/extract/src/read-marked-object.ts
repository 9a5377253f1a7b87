import { find, has, type Input, type Reading, skipSpace, startsWith } from "./input.ts";

/** An object as JSON text. `complete` is false if it was cut off; the member that was cut is left out. */
export interface MarkedObject {
  readonly json: string;
  readonly end: number;
  readonly complete: boolean;
}

const MAX_DEPTH = 100;
const CUT = "cut";

/**
 * Reads `{key:value, ...}` as Gemma models write it: keys bare or quoted, strings between two `mark`s and taken as
 * they are, everything else as in JSON, words that are not JSON being strings. Undefined if it is something else.
 */
export function* readMarkedObject(
  input: Input,
  start: number,
  mark: string,
): Reading<MarkedObject | undefined> {
  if (!(yield* startsWith(input, start, "{"))) return undefined;
  const members: string[] = [];
  const result = yield* readMembers(input, start + 1, mark, members, 0);
  if (result === undefined) return undefined;
  const json = `{${members.join(", ")}}`;
  return result === CUT
    ? { json, end: input.text.length, complete: false }
    : { json, end: result, complete: true };
}

function* readMembers(
  input: Input,
  start: number,
  mark: string,
  members: string[],
  depth: number,
): Reading<number | typeof CUT | undefined> {
  let at = start;
  for (;;) {
    at = yield* skipSpace(input, at);
    if (!(yield* has(input, at))) return CUT;
    const character = input.text.charAt(at);
    if (character === "}") return at + 1;
    if (character === ",") {
      at++;
      continue;
    }
    const key = yield* readKey(input, at, mark);
    if (key === undefined || key === CUT) return key;
    at = yield* skipSpace(input, key.end);
    if (!(yield* has(input, at))) return CUT;
    const value = yield* readMarkedValue(input, at, mark, depth + 1);
    if (value === undefined || value === CUT) return value;
    members.push(`${JSON.stringify(key.text)}: ${value.json}`);
    at = value.end;
  }
}

function* readKey(
  input: Input,
  start: number,
  mark: string,
): Reading<{ text: string; end: number } | typeof CUT | undefined> {
  const quoted = yield* readString(input, start, mark);
  if (quoted === CUT) return CUT;
  let at = quoted === undefined ? start : quoted.end;
  while ((yield* has(input, at)) && !/[:,{}[\]\n]/.test(input.text.charAt(at))) at++;
  if (!(yield* has(input, at))) return CUT;
  if (input.text.charAt(at) !== ":") return undefined;
  return {
    text: quoted === undefined ? input.text.slice(start, at).trim() : JSON.parse(quoted.json),
    end: at + 1,
  };
}

type MarkedValue = { readonly json: string; readonly end: number } | typeof CUT | undefined;

function* readMarkedValue(input: Input, start: number, mark: string, depth: number): Reading<MarkedValue> {
  if (depth > MAX_DEPTH) return undefined;
  const character = input.text.charAt(start);
  if (character === "{") {
    const members: string[] = [];
    const end = yield* readMembers(input, start + 1, mark, members, depth);
    return typeof end === "number" ? { json: `{${members.join(", ")}}`, end } : end;
  }
  if (character === "[") return yield* readArray(input, start + 1, mark, depth);
  return (yield* readString(input, start, mark)) ?? (yield* readWord(input, start));
}

function* readArray(input: Input, start: number, mark: string, depth: number): Reading<MarkedValue> {
  const items: string[] = [];
  let at = start;
  for (;;) {
    at = yield* skipSpace(input, at);
    if (!(yield* has(input, at))) return CUT;
    const character = input.text.charAt(at);
    if (character === "]") return { json: `[${items.join(", ")}]`, end: at + 1 };
    if (character === ",") {
      at++;
      continue;
    }
    const value = yield* readMarkedValue(input, at, mark, depth + 1);
    if (value === undefined || value === CUT) return value;
    items.push(value.json);
    at = value.end;
  }
}

/** A string between marks, taken literally, or between double quotes, with JSON's escapes. */
function* readString(input: Input, start: number, mark: string): Reading<MarkedValue> {
  if (yield* startsWith(input, start, mark)) {
    const from = start + mark.length;
    const end = yield* find(input, from, mark);
    return end === -1 ? CUT : { json: JSON.stringify(input.text.slice(from, end)), end: end + mark.length };
  }
  if (!(yield* startsWith(input, start, '"'))) return undefined;
  let at = start + 1;
  while ((yield* has(input, at)) && input.text.charAt(at) !== '"')
    at += input.text.charAt(at) === "\\" ? 2 : 1;
  if (!(yield* has(input, at))) return CUT;
  const raw = input.text.slice(start, at + 1);
  return { json: quotedJson(raw), end: at + 1 };
}

function quotedJson(raw: string): string {
  try {
    return JSON.stringify(JSON.parse(raw));
  } catch {
    return JSON.stringify(raw.slice(1, -1));
  }
}

function* readWord(input: Input, start: number): Reading<MarkedValue> {
  let at = start;
  while ((yield* has(input, at)) && !/[,}\]\n<]/.test(input.text.charAt(at))) at++;
  if (!(yield* has(input, at))) return CUT;
  const word = input.text.slice(start, at).trim();
  if (/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(word))
    return { json: word, end: at };
  if (input.text.charAt(at) === "<") return undefined;
  return { json: JSON.stringify(word), end: at };
}
