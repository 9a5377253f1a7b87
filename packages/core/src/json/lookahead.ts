import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  DOT,
  EQUALS,
  endsQuote,
  HASH,
  isDigit,
  isNamePart,
  isOddSpace,
  isQuote,
  isSpace,
  MINUS,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  SLASH,
  STAR,
} from "./characters.ts";
import type { ParserState } from "./state.ts";

/** Answers of a look ahead. `WAITS`: the text at hand ends before the answer does. */
export const NO = 0;
export const YES = 1;
export const WAITS = 2;
export type Answer = typeof NO | typeof YES | typeof WAITS;

/** Offset of the first character at or after `i` that is not white space. */
export function pastSpace(s: ParserState, i: number): number {
  const { text, end } = s;
  while (i < end) {
    const code = text.charCodeAt(i);
    if (!isSpace(code) && (code < 0x7f || !isOddSpace(code))) break;
    i++;
  }
  return i;
}

export function hasNewline(s: ParserState, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (s.text.charCodeAt(i) === NEWLINE) return true;
  return false;
}

/** The answer at the end of the text: what it is when nothing follows. */
export function atEnd(s: ParserState, answer: Answer): Answer {
  return s.final ? answer : WAITS;
}

/** Offset of the quote that ends the string beginning at `i`, taken literally; `end` when there is none. */
export function nextQuote(s: ParserState, i: number): number {
  const { text, end } = s;
  const open = text.charCodeAt(i);
  for (let j = i + 1; j < end; j++) {
    const code = text.charCodeAt(j);
    if (code === BACKSLASH) j++;
    else if (endsQuote(open, code)) return j;
  }
  return end;
}

/** Whether a key and its colon begin at `i`: quoted, or a plain name. */
export function keyAt(s: ParserState, i: number): Answer {
  const { text, end } = s;
  if (i >= end) return atEnd(s, NO);
  if (isQuote(text.charCodeAt(i))) return quotedKeyAt(s, i);
  let j = i;
  while (j < end && (isNamePart(text.charCodeAt(j)) || (j > i && text.charCodeAt(j) === MINUS))) j++;
  if (j === i) return NO;
  if (j < end && text.charCodeAt(j) === 34) j++;
  j = pastSpace(s, j);
  if (j + 1 >= end) return j < end && text.charCodeAt(j) !== COLON ? NO : atEnd(s, j < end ? YES : NO);
  return text.charCodeAt(j) === COLON && text.charCodeAt(j + 1) !== SLASH ? YES : NO;
}

function quotedKeyAt(s: ParserState, i: number): Answer {
  const { text, end } = s;
  const close = nextQuote(s, i);
  if (close >= end) return atEnd(s, YES);
  const j = pastSpace(s, close + 1);
  if (j >= end) return atEnd(s, YES);
  const code = text.charCodeAt(j);
  if (code === COLON || (code === EQUALS && j > close + 1)) return YES;
  return isQuote(code) && j > close + 1 && j + 1 < end && !isDelimiter(text.charCodeAt(j + 1)) ? YES : NO;
}

function isDelimiter(code: number): boolean {
  return code === COMMA || code === COLON || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code);
}

/** Whether a comment begins at `i`. */
export function commentAt(s: ParserState, i: number): boolean {
  const code = s.text.charCodeAt(i);
  if (code === HASH) return isSpace(s.text.charCodeAt(i - 1));
  if (code !== SLASH || i + 1 >= s.end) return false;
  const next = s.text.charCodeAt(i + 1);
  return next === SLASH || next === STAR;
}

export function ellipsisAt(s: ParserState, i: number): boolean {
  return s.text.charCodeAt(i) === DOT && s.text.startsWith("...", i);
}

/** Whether what begins at `i` reads as the next element of an array, after a comma. */
export function elementAt(s: ParserState, i: number): Answer {
  const { text, end } = s;
  if (i >= end) return atEnd(s, YES);
  const code = text.charCodeAt(i);
  if (isQuote(code)) return quotedElementAt(s, i);
  if (isDigit(code) || code === MINUS || code === OPEN_BRACE || code === OPEN_BRACKET) return YES;
  if (code === CLOSE_BRACKET || code === CLOSE_BRACE || code === CLOSE_PAREN || code === COMMA) return YES;
  if (commentAt(s, i) || ellipsisAt(s, i)) return YES;
  for (let j = i; j < end; j++) {
    const each = text.charCodeAt(j);
    if (each === COMMA || each === CLOSE_BRACKET || each === CLOSE_BRACE || each === NEWLINE) return YES;
    if (each === 34 || each === 39) return NO;
  }
  return atEnd(s, YES);
}

/** A quoted element ends in a quote that a comma or bracket follows; a quote after a space rather opens than ends. */
function quotedElementAt(s: ParserState, i: number): Answer {
  const { text, end } = s;
  const close = nextQuote(s, i);
  if (close >= end) return atEnd(s, YES);
  const j = pastSpace(s, close + 1);
  if (j >= end) return atEnd(s, YES);
  const code = text.charCodeAt(j);
  if (isDelimiter(code) || isQuote(code) || commentAt(s, j) || j > close + 1) return YES;
  return isSpace(text.charCodeAt(close - 1)) ? YES : NO;
}
