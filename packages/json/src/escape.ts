import {
  APOSTROPHE,
  BACKSLASH,
  COLON,
  isHexDigit,
  isLetter,
  isQuote,
  LOWER_U,
  QUOTE,
  SLASH,
} from "./characters.ts";
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
  const simple = simpleEscape(code);
  if (open.literal && endsWithBackslash(s, open, i, code)) {
    if (simple !== undefined && code !== QUOTE) noteKnown(s, open, i, simple);
    return i + 1;
  }
  if (code === BACKSLASH) return readBackslashes(s, open, i);
  if (simple !== undefined) {
    if (code !== QUOTE && code !== SLASH) noteKnown(s, open, i, simple);
    return replace(s, open, i, 2, simple);
  }
  if (code === LOWER_U) return readCodePoint(s, open, i);
  if (isQuote(code)) return reported(s, open, i, 2, text.charAt(i + 1));
  if (!s.final && i + LONGEST_ELSEWHERE > end && BEGINS_ELSEWHERE.has(code)) return CUT;
  if (code === 120 && open.quote === APOSTROPHE && isHex(text, i + 2, i + 4)) {
    return reported(s, open, i, 4, String.fromCharCode(Number.parseInt(text.slice(i + 2, i + 4), 16)));
  }
  return unknown(s, open, i);
}

/** Reads a run of escaped backslashes at once: half of them is what they stand for. */
function readBackslashes(s: ParserState, open: OpenString, i: number): number {
  const pairs = backslashPairs(s.text, i, s.end);
  noteKnown(s, open, i, "\\");
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
    const character = String.fromCharCode(Number.parseInt(text.slice(i + 2, i + 6), 16));
    noteKnown(s, open, i, character);
    return replace(s, open, i, 6, character);
  }
  if (i + 6 > end && isHex(text, i + 2, end)) return CUT;
  return s.top === undefined ? REFUSED : unknown(s, open, i);
}

/** Keeps the backslash. After a drive letter it shows a Windows path, in which every backslash is meant. */
function unknown(s: ParserState, open: OpenString, i: number): number {
  if ((open.reported & ESCAPE_BIT) === 0) report(s, open, i, 2, `\\\\${s.text.charAt(i + 1)}`);
  open.reported |= KEPT_BIT;
  if ((open.reported & KNOWN_BIT) !== 0 || meansElsewhere(s, i)) doubt(s, open);
  if (isAfterDrive(s, open, i)) open.literal = true;
  return i + 1;
}

/** Whether other languages read the escape at `i`, which JSON does not know, as a character, or as nothing. */
function meansElsewhere(s: ParserState, i: number): boolean {
  const isCandidate = BEGINS_ELSEWHERE.has(s.text.charCodeAt(i + 1));
  return isCandidate && ELSEWHERE.test(s.text.slice(i + 1, i + LONGEST_ELSEWHERE));
}

const BEGINS_ELSEWHERE: ReadonlySet<number> = new Set(Array.from("xuU0\r\n", (each) => each.charCodeAt(0)));
const ELSEWHERE = /^(?:x[0-9a-fA-F]{2}|u\{|U[0-9a-fA-F]{8}|0|\r?\n)/;
const LONGEST_ELSEWHERE = 10;

/** The escapes of this string have another reading. */
function doubt(s: ParserState, open: OpenString): void {
  if ((open.reported & DOUBT_BIT) === 0) s.repairs.doubtLast("escape");
  open.reported |= DOUBT_BIT;
}

/**
 * Notes an escape that JSON knows. Beside a backslash that was kept, it may be one that was meant as well; so may the one that
 * makes a control character of a path: `C:\temp`.
 */
function noteKnown(s: ParserState, open: OpenString, i: number, meaning: string): void {
  open.reported |= KNOWN_BIT;
  if (meaning < " " && isAfterDrive(s, open, i)) report(s, open, i, 2, meaning);
  else if ((open.reported & KEPT_BIT) === 0) return;
  doubt(s, open);
}

/** Whether all that stands before `i` in the string is the letter of a drive and its colon. */
function isAfterDrive(s: ParserState, open: OpenString, i: number): boolean {
  const length = open.content.length + i - open.from;
  return length === 2 && s.text.charCodeAt(i - 1) === COLON && isLetter(s.text.charCodeAt(i - 2));
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
/** A backslash was kept, because what follows it is no escape. */
const KEPT_BIT = 16;
/** An escape that JSON knows was read: a control character, a code point or a backslash. */
const KNOWN_BIT = 32;
const DOUBT_BIT = 64;

function report(s: ParserState, open: OpenString, i: number, length: number, after: string): void {
  if ((open.reported & ESCAPE_BIT) !== 0) return;
  open.reported |= ESCAPE_BIT;
  s.report("escape", i, s.text.slice(i, i + length), after);
}

function isHex(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!isHexDigit(text.charCodeAt(i))) return false;
  return to <= text.length;
}

/** Whether string content has both escapes that JSON knows and backslashes that it does not: some of the former may be the latter. */
export function mixesEscapes(content: string): boolean {
  let known = false;
  let kept = false;
  for (const [written] of content.matchAll(/\\(?:u[0-9a-fA-F]{4}|[\s\S])/g)) {
    if (written.length > 2 || "\\bfnrt".includes(written.charAt(1))) known = true;
    else if (!isQuote(written.charCodeAt(1)) && written !== "\\/") kept = true;
  }
  return known && kept;
}

/**
 * Where a document that had to be repaired, or was written in a string, has an escape that was probably meant as a backslash
 * and a letter, else -1: right behind a drive (`"C:\temp"`) or a server (`"\\server\new"`), and a backspace (`\bword\b`) or form feed
 * (`\frac`) anywhere.
 */
export function escapeInDoubt(document: string): number {
  const raw = document.search(/["'][A-Za-z]:(?:\\[nrt]|[\n\r\t])|["']\\\\[^\\"'\n]{1,255}\\[nrt]|[\b\f]/);
  if (raw >= 0 || !/\\[bf]/.test(document)) return raw;
  for (const { 0: written, index } of document.matchAll(/\\[\s\S]/g))
    if (written === "\\b" || written === "\\f") return index;
  return -1;
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
