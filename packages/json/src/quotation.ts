import { APOSTROPHE, isLetter, isNamePart, isQuote, isSpace } from "./characters.ts";
import type { OpenString } from "./open-string.ts";
import type { ParserState } from "./state.ts";
import { opensQuotation } from "./string-end.ts";

/** States of the quotation inside a string: none, one that begins as text, and ones that begin like what joins two strings. */
export const NONE = 0;
const TEXT = 1;
const JOINT = 2;
const SURE_JOINT = 3;

/**
 * Notes the quote at `i` of an open string, which was taken for content. Quotes inside come in pairs around a text. A pair around
 * `, ` or ` + x + ` has another reading: two strings and what joins them. Sets `s.doubtful` where that reading exists.
 */
export function noteQuotation(s: ParserState, open: OpenString, i: number): void {
  if (open.quote === APOSTROPHE && isInWord(s, i)) return;
  if (open.quotation === NONE) {
    open.quotation = opening(s, i);
    return;
  }
  const joins = open.quotation !== TEXT && (isJoint(s.text.charCodeAt(i - 1)) || isBetweenNames(s, i));
  if (joins && open.quotation === SURE_JOINT) s.doubtful = true;
  if (joins) open.joins = true;
  else open.quotes = true;
  open.quotation = NONE;
}

/** The string ended: a quote without its partner may have been the end, and so may any where all pairs join. */
export function endQuotation(s: ParserState, open: OpenString): void {
  if (open.quotation !== NONE || (open.joins && !open.quotes)) s.doubtful = true;
}

/** Behind a space or an opening bracket a quote begins a quotation as well as it ends a string: `content: ""` is an empty one. */
function opening(s: ParserState, i: number): number {
  const next = s.text.charCodeAt(i + 1);
  if (!isJoint(next) && !isBetweenNames(s, i)) return TEXT;
  if (!opensQuotation(s, i)) return SURE_JOINT;
  return isQuote(next) ? TEXT : JOINT;
}

/** An apostrophe: `it's`. */
function isInWord(s: ParserState, i: number): boolean {
  return isLetter(s.text.charCodeAt(i - 1)) && isLetter(s.text.charCodeAt(i + 1));
}

/** `"a"or"b"`. */
function isBetweenNames(s: ParserState, i: number): boolean {
  return isNamePart(s.text.charCodeAt(i - 1)) && isNamePart(s.text.charCodeAt(i + 1));
}

/** Space, the other quote of an empty pair, or a character of an operator or a separator. */
function isJoint(code: number): boolean {
  return isSpace(code) || isQuote(code) || OPERATORS.has(code);
}

const OPERATORS: ReadonlySet<number> = new Set(
  Array.from("+,:;|&?=*%.-/<>!^~", (each) => each.charCodeAt(0)),
);
