import { has, type Input, isSpace, nameEnd, type Reading, skipSpace, startsWith } from "./input.ts";

/** A value as JSON text, and where it ended. */
export interface PythonValue {
  readonly json: string;
  readonly end: number;
}

/** A call as written: arguments by keyword, and those given by position. */
export interface PythonCall {
  readonly name: string;
  readonly keywords: ReadonlyMap<string, string>;
  readonly positional: readonly string[];
  readonly end: number;
  /** False if the text ended inside the call; an argument that was cut is left out. */
  readonly complete: boolean;
}

const MAX_DEPTH = 100;
const NUMBER = /^[+-]?(?:0[xX][\da-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)$/;
const WORDS = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
]);
const ESCAPES = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
  ["0", "\0"],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["/", "/"],
  ["\n", ""],
]);

/** Reads `name(key=literal, ...)`. Undefined unless every argument is a literal: code is not a call. */
export function* readPythonCall(input: Input, start: number): Reading<PythonCall | undefined> {
  const open = yield* nameEnd(input, start);
  if (open === start || !(yield* startsWith(input, open, "("))) return undefined;
  const name = input.text.slice(start, open);
  const keywords = new Map<string, string>();
  const positional: string[] = [];
  const cut = (): PythonCall => ({ name, keywords, positional, end: input.text.length, complete: false });
  let at = open + 1;
  for (;;) {
    at = yield* skipSpace(input, at);
    if (!(yield* has(input, at))) return cut();
    const character = input.text.charAt(at);
    if (character === ")") return { name, keywords, positional, end: at + 1, complete: true };
    if (character === ",") {
      at++;
      continue;
    }
    const key = yield* readKeyword(input, at);
    if (key !== undefined) at = yield* skipSpace(input, key.end);
    if (!(yield* has(input, at))) return cut();
    const value = yield* readPythonValue(input, at, "argument", 0);
    if (value === undefined) return undefined;
    if (value === "cut") return cut();
    if (key === undefined) positional.push(value.json);
    else keywords.set(key.name, value.json);
    at = value.end;
  }
}

function* readKeyword(input: Input, start: number): Reading<{ name: string; end: number } | undefined> {
  const end = yield* nameEnd(input, start);
  if (end === start) return undefined;
  const equals = yield* skipSpace(input, end);
  if (!(yield* startsWith(input, equals, "=")) || (yield* startsWith(input, equals, "=="))) return undefined;
  return { name: input.text.slice(start, end), end: equals + 1 };
}

type Place = "argument" | "element";

/** Reads a literal: string, number, True, None, list, tuple, set or dict. "cut" if the text ends inside it. */
export function* readPythonValue(
  input: Input,
  start: number,
  place: Place,
  depth: number,
): Reading<PythonValue | "cut" | undefined> {
  if (depth > MAX_DEPTH) return undefined;
  const character = input.text.charAt(start);
  if (character === "[" || character === "(") {
    return yield* readList(input, start, character === "[" ? "]" : ")", depth);
  }
  if (character === "{") return yield* readDict(input, start, depth);
  yield* has(input, start + 2);
  const quote = /^[rRbBuUfF]{0,2}(?=["'])/.exec(input.text.slice(start, start + 3));
  if (quote !== null) return yield* readString(input, start + quote[0].length, place, /r/i.test(quote[0]));
  return yield* readWord(input, start);
}

function* readWord(input: Input, start: number): Reading<PythonValue | "cut" | undefined> {
  let at = start;
  while ((at < input.text.length || (yield* has(input, at))) && /[\w.+-]/.test(input.text.charAt(at))) at++;
  if (at >= input.text.length) return "cut";
  const word = input.text.slice(start, at);
  const json = WORDS.get(word) ?? (NUMBER.test(word) ? numberJson(word) : undefined);
  return json === undefined ? undefined : { json, end: at };
}

function numberJson(word: string): string {
  const plain = word.replaceAll("_", "").replace(/^\+/, "");
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(plain)) return plain;
  const value = plain.startsWith("-") ? -Number(plain.slice(1)) : Number(plain);
  return JSON.stringify(Number.isFinite(value) ? value : word);
}

function* readList(
  input: Input,
  start: number,
  close: string,
  depth: number,
): Reading<PythonValue | "cut" | undefined> {
  const items: string[] = [];
  let at = start + 1;
  for (;;) {
    at = yield* skipSpace(input, at);
    if (!(yield* has(input, at))) return "cut";
    const character = input.text.charAt(at);
    if (character === close) return { json: `[${items.join(", ")}]`, end: at + 1 };
    if (character === ",") {
      at++;
      continue;
    }
    const value = yield* readPythonValue(input, at, "element", depth + 1);
    if (value === undefined || value === "cut") return value;
    items.push(value.json);
    at = value.end;
  }
}

/** Reads a dict, or a set, which becomes a list. */
function* readDict(input: Input, start: number, depth: number): Reading<PythonValue | "cut" | undefined> {
  const entries: string[] = [];
  let pairs: boolean | undefined;
  let at = start + 1;
  for (;;) {
    at = yield* skipSpace(input, at);
    if (!(yield* has(input, at))) return "cut";
    const character = input.text.charAt(at);
    if (character === "}") {
      return { json: pairs === false ? `[${entries.join(", ")}]` : `{${entries.join(", ")}}`, end: at + 1 };
    }
    if (character === ",") {
      at++;
      continue;
    }
    const key = yield* readPythonValue(input, at, "element", depth + 1);
    if (key === undefined || key === "cut") return key;
    at = yield* skipSpace(input, key.end);
    const paired = yield* startsWith(input, at, ":");
    pairs ??= paired;
    if (pairs !== paired) return (yield* has(input, at)) ? undefined : "cut";
    if (!paired) {
      entries.push(key.json);
      continue;
    }
    at = yield* skipSpace(input, at + 1);
    if (!(yield* has(input, at))) return "cut";
    const value = yield* readPythonValue(input, at, "element", depth + 1);
    if (value === undefined || value === "cut") return value;
    entries.push(`${key.json.startsWith('"') ? key.json : JSON.stringify(key.json)}: ${value.json}`);
    at = value.end;
  }
}

function* readString(
  input: Input,
  start: number,
  place: Place,
  raw: boolean,
): Reading<PythonValue | "cut" | undefined> {
  const quote = input.text.charAt(start);
  const triple = quote.repeat(3);
  const long = yield* startsWith(input, start, triple);
  const parts: string[] = [];
  let at = start + (long ? 3 : 1);
  let from = at;
  while (at < input.text.length || (yield* has(input, at))) {
    const character = input.text.charAt(at);
    if (character === "\\") {
      if (!(yield* has(input, at + 1))) return "cut";
      if (!raw) {
        const escaped = yield* readEscape(input, at + 1);
        parts.push(input.text.slice(from, at), escaped.text);
        at = escaped.end;
        from = at;
      } else at += 2;
    } else if (
      character === quote &&
      (long ? yield* startsWith(input, at, triple) : yield* closes(input, at + 1, place))
    ) {
      parts.push(input.text.slice(from, at));
      return { json: JSON.stringify(parts.join("")), end: at + (long ? 3 : 1) };
    } else at++;
  }
  return "cut";
}

/** An escape sequence after its backslash. One that Python does not know keeps the backslash. */
function* readEscape(input: Input, at: number): Reading<{ text: string; end: number }> {
  const character = input.text.charAt(at);
  const digits = character === "x" ? 2 : character === "u" ? 4 : character === "U" ? 8 : 0;
  if (digits > 0) {
    yield* has(input, at + digits);
    const code = input.text.slice(at + 1, at + 1 + digits);
    if (code.length === digits && /^[\da-fA-F]+$/.test(code) && Number.parseInt(code, 16) <= 0x10ffff) {
      return { text: String.fromCodePoint(Number.parseInt(code, 16)), end: at + 1 + digits };
    }
  }
  return { text: ESCAPES.get(character) ?? `\\${character}`, end: at + 1 };
}

/**
 * Whether a quote before `start` ends its string: something that may follow a value must follow. Models leave quotes
 * inside a string unescaped, as in `command='sed -n '1p' file'`.
 */
function* closes(input: Input, start: number, place: Place): Reading<boolean> {
  const at = yield* skipSpace(input, start);
  if (!(yield* has(input, at))) return true;
  const character = input.text.charAt(at);
  if (place === "element") return /[,:\]})]/.test(character);
  if (character === ",") {
    const key = yield* skipSpace(input, at + 1);
    if (!(yield* has(input, key)) || /["'()[\]{\d-]/.test(input.text.charAt(key))) return true;
    const end = yield* nameEnd(input, key);
    if (WORDS.has(input.text.slice(key, end))) return true;
    const equals = yield* skipSpace(input, end);
    return end > key && (yield* startsWith(input, equals, "="));
  }
  if (character !== ")") return false;
  const after = yield* skipSpace(input, at + 1);
  if (!(yield* has(input, after))) return true;
  const next = input.text.charAt(after);
  if (/[,;)\]<`]/.test(next)) return true;
  return after > at + 1 && hasLineFeed(input.text, at + 1, after);
}

function hasLineFeed(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (text.charCodeAt(at) === 10) return true;
  return false;
}

/** Whether only white space is left from `start`. */
export function isBlank(text: string, start: number): boolean {
  for (let at = start; at < text.length; at++) if (!isSpace(text.charCodeAt(at))) return false;
  return true;
}
