import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  DOT,
  ELLIPSIS,
  EQUALS,
  endsQuote,
  GREATER,
  HASH,
  isColon,
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

/** Longest text that is taken for a key where a doubtful quote stands before it. */
export const MAX_KEY = 200;

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

/**
 * Whether a key begins at `i`: a quoted one, or a plain name with its colon. A quoted one may lack its colon where
 * nothing but a key can stand, unless `strict`.
 */
export function keyAt(s: ParserState, i: number, strict = false): Answer {
  const { text, end } = s;
  if (i >= end) return atEnd(s, NO);
  if (isQuote(text.charCodeAt(i))) return quotedKeyAt(s, i, strict);
  let j = i;
  while (j < end && (isNamePart(text.charCodeAt(j)) || (j > i && text.charCodeAt(j) === MINUS))) j++;
  if (j === i) return NO;
  if (j < end && text.charCodeAt(j) === 34) j++;
  j = pastSpace(s, j);
  if (j + 1 >= end) return j < end && text.charCodeAt(j) !== COLON ? NO : atEnd(s, j < end ? YES : NO);
  return text.charCodeAt(j) === COLON && text.charCodeAt(j + 1) !== SLASH ? YES : NO;
}

function quotedKeyAt(s: ParserState, i: number, strict: boolean): Answer {
  const { text, end } = s;
  const doubled = s.doubled && text.charCodeAt(i + 1) === text.charCodeAt(i);
  let close = nextQuote(s, doubled ? i + 1 : i);
  if (close >= end) return s.final ? cutKeyAt(s, i) : WAITS;
  if (doubled && text.charCodeAt(close + 1) === text.charCodeAt(i)) close++;
  const j = pastSpace(s, close + 1);
  if (j >= end) return atEnd(s, YES);
  const code = text.charCodeAt(j);
  if (isColon(code) || (code === EQUALS && (j > close + 1 || text.charCodeAt(j + 1) === GREATER))) return YES;
  if (strict || j === close + 1) return NO;
  if (code === OPEN_BRACE || code === OPEN_BRACKET) return YES;
  if (isDigit(code) || code === MINUS) return numberAt(s, j);
  if (literalAt(s, j) !== NO) return literalAt(s, j);
  return isQuote(code) && j + 1 < end && !isDelimiter(text.charCodeAt(j + 1)) ? YES : NO;
}

/** A key that the end of the text cuts off holds no punctuation of a document, unless the text is known to be cut. */
function cutKeyAt(s: ParserState, i: number): Answer {
  if (s.truncated) return YES;
  for (let j = i + 1; j < s.end; j++) {
    const code = s.text.charCodeAt(j);
    if (code === COMMA || code === COLON || code === NEWLINE || isBracket(code)) return NO;
  }
  return YES;
}

export function isBracket(code: number): boolean {
  return code === OPEN_BRACE || code === CLOSE_BRACE || code === OPEN_BRACKET || code === CLOSE_BRACKET;
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
  const code = s.text.charCodeAt(i);
  return code === ELLIPSIS || (code === DOT && s.text.startsWith("...", i));
}

/** Whether what begins at `i` reads as the next element of an array, after a comma. */
export function elementAt(s: ParserState, i: number): Answer {
  const { text, end } = s;
  if (i >= end) return atEnd(s, YES);
  const code = text.charCodeAt(i);
  if (isQuote(code) || isDigit(code) || code === MINUS || code === OPEN_BRACE || code === OPEN_BRACKET)
    return YES;
  if (code === CLOSE_BRACKET || code === CLOSE_BRACE || code === CLOSE_PAREN || code === COMMA) return YES;
  if (commentAt(s, i) || ellipsisAt(s, i)) return YES;
  for (let j = i; j < end; j++) {
    const each = text.charCodeAt(j);
    if (each === COMMA || each === CLOSE_BRACKET || each === CLOSE_BRACE || each === NEWLINE) return YES;
    if (each === 34 || each === 39) return NO;
  }
  return atEnd(s, YES);
}

const LITERALS = ["true", "false", "null", "True", "False", "None"];

/** Whether a whole JSON or Python literal stands at `j`. */
export function literalAt(s: ParserState, j: number): Answer {
  const word = LITERALS.find((each) => s.text.startsWith(each, j));
  if (word === undefined)
    return s.end - j < 5 && LITERALS.some((each) => each.startsWith(s.text.slice(j))) ? atEnd(s, NO) : NO;
  const after = j + word.length;
  if (after >= s.end) return atEnd(s, YES);
  return isNamePart(s.text.charCodeAt(after)) ? NO : YES;
}

/** Whether a number that a delimiter follows stands at `j`. */
export function numberAt(s: ParserState, j: number): Answer {
  const { text, end } = s;
  let k = j + 1;
  while (k < end && (isDigit(text.charCodeAt(k)) || text.charCodeAt(k) === 46)) k++;
  const after = pastSpace(s, k);
  if (after >= end) return atEnd(s, YES);
  const code = text.charCodeAt(after);
  if (code === COMMA || isBracket(code) || code === CLOSE_PAREN || commentAt(s, after)) return YES;
  return after > k && (isQuote(code) || isDigit(code) || hasNewline(s, k, after)) ? YES : NO;
}
