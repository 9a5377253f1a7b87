import { APOSTROPHE, BACKSLASH, COLON, isHexDigit, isLetter, isQuote, LOWER_U, QUOTE } from "./characters.ts";
import { NO } from "./lookahead.ts";
import type { OpenString } from "./open-string.ts";
import type { ParserState } from "./state.ts";
import { endsString } from "./string-end.ts";

const SIMPLE: (string | undefined)[] = [];
for (const [letter, meaning] of ['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"])
  SIMPLE[letter!.charCodeAt(0)] = meaning;

/** What an escape of one letter stands for in JSON; undefined when it stands for nothing. */
export function simpleEscape(code: number): string | undefined {
  return code < 128 ? SIMPLE[code] : undefined;
}

/** The escape at `i` needs more text than there is. */
export const CUT = -1;
/** The escape at `i` cannot be read without guessing, and nothing around it helps. */
export const REFUSED = -2;

/**
 * Reads the escape at `i` of an open string and returns the offset after it. An escape that JSON does not know keeps
 * its backslash, because dropping it loses what a path or a regular expression meant; before a quote it is dropped,
 * because that is what it was written for.
 */
export function readEscape(s: ParserState, open: OpenString, i: number): number {
  const { text, end } = s;
  if (i + 1 >= end) return CUT;
  const code = text.charCodeAt(i + 1);
  if (open.literal && endsWithBackslash(s, open, i, code)) return i + 1;
  if (code === BACKSLASH) return readBackslashes(s, open, i);
  const simple = simpleEscape(code);
  if (simple !== undefined) return replace(s, open, i, 2, simple);
  if (code === LOWER_U) return readCodePoint(s, open, i);
  if (isQuote(code)) return reported(s, open, i, 2, text.charAt(i + 1));
  if (code === 120 && open.quote === APOSTROPHE && isHex(text, i + 2, i + 4)) {
    return reported(s, open, i, 4, String.fromCharCode(Number.parseInt(text.slice(i + 2, i + 4), 16)));
  }
  return unknown(s, open, i);
}

/** Reads a run of escaped backslashes at once: half of them is what they stand for. */
function readBackslashes(s: ParserState, open: OpenString, i: number): number {
  const pairs = backslashPairs(s.text, i, s.end);
  open.content += s.text.slice(open.from, i + pairs);
  open.from = i + 2 * pairs;
  return open.from;
}

/** How many escaped backslashes stand in a row at `i`. */
export function backslashPairs(text: string, i: number, end: number): number {
  let j = i;
  while (j < end && text.charCodeAt(j) === BACKSLASH) j++;
  return (j - i) >> 1;
}

function readCodePoint(s: ParserState, open: OpenString, i: number): number {
  const { text, end } = s;
  if (isHex(text, i + 2, i + 6) && i + 6 <= end) {
    return replace(s, open, i, 6, String.fromCharCode(Number.parseInt(text.slice(i + 2, i + 6), 16)));
  }
  if (i + 6 > end && isHex(text, i + 2, end)) return CUT;
  return s.top === undefined ? REFUSED : unknown(s, open, i);
}

/** Keeps the backslash. After a drive letter it shows a Windows path, in which every backslash is meant. */
function unknown(s: ParserState, open: OpenString, i: number): number {
  report(s, open, i, 2, `\\\\${s.text.charAt(i + 1)}`);
  const length = open.content.length + i - open.from;
  if (length === 2 && s.text.charCodeAt(i - 1) === COLON && isLetter(s.text.charCodeAt(i - 2)))
    open.literal = true;
  return i + 1;
}

/** In a Windows path: whether the backslash is data. Before a quote it is, if the string ends there. */
function endsWithBackslash(s: ParserState, open: OpenString, i: number, code: number): boolean {
  if (code === BACKSLASH) return false;
  return code !== QUOTE || endsString(s, open, i + 1) !== NO;
}

function replace(s: ParserState, open: OpenString, i: number, length: number, value: string): number {
  open.content += s.text.slice(open.from, i) + value;
  open.from = i + length;
  return open.from;
}

function reported(s: ParserState, open: OpenString, i: number, length: number, value: string): number {
  report(s, open, i, length, value);
  return replace(s, open, i, length, value);
}

const ESCAPE_BIT = 1;

function report(s: ParserState, open: OpenString, i: number, length: number, after: string): void {
  if ((open.reported & ESCAPE_BIT) !== 0) return;
  open.reported |= ESCAPE_BIT;
  s.report("escape", i, s.text.slice(i, i + length), after);
}

function isHex(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!isHexDigit(text.charCodeAt(i))) return false;
  return to <= text.length;
}

/** Reads the escapes of string content that stands on its own, by the same rules. */
export function unescaped(content: string): string {
  if (!content.includes("\\")) return content;
  let result = "";
  let from = 0;
  for (let i = content.indexOf("\\"); i >= 0; i = content.indexOf("\\", i)) {
    const next = content.charAt(i + 1);
    const simple =
      next === ""
        ? ""
        : (simpleEscape(next.charCodeAt(0)) ?? (isQuote(next.charCodeAt(0)) ? next : undefined));
    const isCodePoint = next === "u" && isHex(content, i + 2, i + 6);
    if (simple === undefined && !isCodePoint) {
      i++;
      continue;
    }
    const value = isCodePoint
      ? String.fromCharCode(Number.parseInt(content.slice(i + 2, i + 6), 16))
      : (simple ?? "");
    result += content.slice(from, i) + value;
    i += isCodePoint ? 6 : 2;
    from = i;
  }
  return result + content.slice(from);
}
