import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  endsQuote,
  isCloser,
  isOddSpace,
  isSpace,
  NEWLINE,
} from "./characters.ts";
import { unescaped } from "./escape.ts";
import { type Answer, hasNewline, keyAt, MAX_KEY, NO, pastSpace, WAITS, YES } from "./lookahead.ts";
import type { OpenString } from "./open-string.ts";
import type { ParserState } from "./state.ts";
import { endsString, opensAny } from "./string-end.ts";

/** Strings that lack their closing quote: the reader runs past their end and learns of it from what it meets there. */

/**
 * Whether the quote at `i`, which does not end its string, shows that the string ended before an earlier quote: that
 * one opened a key and this one, with a colon behind it, ends it; or that one opens the next line of an array.
 */
export function overruns(s: ParserState, open: OpenString, i: number): Answer {
  const j = pastSpace(s, i + 1);
  if (j >= s.end) return s.final ? NO : WAITS;
  if (open.key || s.top === undefined || (open.nested && opensAny(s, open, i))) return NO;
  if (open.reopened < 0 || s.text.charCodeAt(j) !== COLON || i - open.reopened > MAX_KEY) return NO;
  return s.top.object !== undefined || isCloser(s.text.charCodeAt(open.cut)) ? YES : NO;
}

/**
 * Remembers the quote at `i` as one that may open the next string, because a comma or a line break stands before it,
 * and where this string would then have ended. True when it certainly opens the next one.
 */
export function markReopening(s: ParserState, open: OpenString, i: number): boolean {
  const lowest = Math.max(0, open.start);
  open.reopened = -1;
  const j = beforeSpace(s, i - 1, lowest);
  if (j < lowest) return false;
  const separated = s.text.charCodeAt(j) === (open.key ? COLON : COMMA);
  const newline = hasNewline(s, j, i);
  if (!separated && (open.key || !newline)) return false;
  open.reopened = i;
  open.cut = separated ? beforeClosers(s, open, j, lowest) : j + 1;
  open.cutLength = open.content.length + open.cut - open.from;
  if (open.key) return open.cutLength > 0;
  return s.top?.array !== undefined && separated && newline && !isSpace(s.text.charCodeAt(i + 1));
}

/** Brackets before the comma close what is open around the string, if there is enough and the content opened none. */
function beforeClosers(s: ParserState, open: OpenString, comma: number, lowest: number): number {
  let first = comma;
  let closers = 0;
  for (let j = beforeSpace(s, comma - 1, lowest); j >= lowest; j = beforeSpace(s, j - 1, lowest)) {
    if (!isCloser(s.text.charCodeAt(j))) break;
    first = j;
    closers++;
  }
  return !open.key && closers < s.frames.length && !opensAny(s, open, first) ? first : comma;
}

function beforeSpace(s: ParserState, i: number, lowest: number): number {
  while (i >= lowest) {
    const code = s.text.charCodeAt(i);
    if (!isSpace(code) && (code < 0x7f || !isOddSpace(code))) break;
    i--;
  }
  return i;
}

/** The string ends where its content was cut, and reading goes on there. */
export function cutShort(s: ParserState, i: number): Answer {
  const open = s.string;
  s.token = (open.content + s.text.slice(open.from, i)).slice(0, open.cutLength);
  s.report("missing-quote", open.cut, "", '"');
  s.pos = open.cut;
  s.inString = false;
  return YES;
}

/** Offset of the closing brackets that the open containers still need, if they stand at the end of the text; else -1. */
export function closersAtEnd(s: ParserState): number {
  let i = s.end - 1;
  for (const frame of s.frames) {
    while (i >= s.pos && isSpace(s.text.charCodeAt(i))) i--;
    const wanted = frame.array === undefined ? CLOSE_BRACE : frame.tuple ? CLOSE_PAREN : CLOSE_BRACKET;
    if (i < s.pos || s.text.charCodeAt(i) !== wanted) return -1;
    i--;
  }
  return i + 1;
}

/**
 * Reads a string in a text that is known to lack a quote: up to a quote that ends it, the next key, or the brackets at
 * the end of the text, whichever comes first.
 */
export function readEndless(s: ParserState): Answer {
  const open = s.string;
  const closers = closersAtEnd(s);
  const end = closers < 0 ? s.end : closers;
  const stop = endlessEnd(s, open, end);
  const quoted = stop < end && endsQuote(open.quote, s.text.charCodeAt(stop));
  const content = unescaped(s.text.slice(open.start, stop));
  s.token = quoted ? content : content.trimEnd();
  if (!quoted) s.report("missing-quote", stop, "", '"');
  s.pos = quoted ? stop + 1 : stop;
  s.inString = false;
  return YES;
}

function endlessEnd(s: ParserState, open: OpenString, end: number): number {
  const inObject = s.top?.object !== undefined && !open.key;
  let separator = -1;
  for (let i = open.start; i < end; i++) {
    const code = s.text.charCodeAt(i);
    if (separator >= 0 && !isSpace(code)) {
      if (keyAt(s, i) === YES) return separator;
      separator = -1;
    }
    if (code === BACKSLASH) i++;
    else if (open.key && code === COLON) return i;
    else if (endsQuote(open.quote, code) && endsString(s, open, i) === YES) return i;
    else if (inObject && separator < 0 && (code === COMMA || code === NEWLINE)) separator = i;
  }
  return end;
}
