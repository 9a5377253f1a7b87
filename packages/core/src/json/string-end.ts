import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  EQUALS,
  isCloser,
  isDigit,
  isNamePart,
  isOddSpace,
  isQuote,
  isSpace,
  MINUS,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
} from "./characters.ts";
import {
  type Answer,
  atEnd,
  commentAt,
  elementAt,
  ellipsisAt,
  hasNewline,
  keyAt,
  NO,
  pastSpace,
  WAITS,
  YES,
} from "./lookahead.ts";
import type { OpenString, ParserState } from "./state.ts";

/**
 * Whether the quote at `i` ends the string it stands in. A quote that a model forgot to escape looks the same, so what
 * follows decides: a string ends where the rest reads on as JSON. Every look ahead stops at the next quote or sooner,
 * so that all of them together stay linear.
 */
export function endsString(s: ParserState, open: OpenString, i: number): Answer {
  const j = pastSpace(s, i + 1);
  if (j >= s.end) return atEnd(s, YES);
  if (open.key) return endsKey(s, i, j);
  const code = s.text.charCodeAt(j);
  if (code === COMMA) return endsBeforeComma(s, j);
  if (isCloser(code)) return endsBeforeCloser(s, open, i, j);
  if (commentAt(s, j)) return YES;
  if (s.stops.length > 0 && s.atStop(j)) return YES;
  if (code === PLUS) return endsBeforePlus(s, j);
  if (s.top === undefined) return endsLone(s, i, j);
  if (s.top.array !== undefined) return endsElement(s, i, j);
  return endsMember(s, i, j);
}

function endsKey(s: ParserState, i: number, j: number): Answer {
  const code = s.text.charCodeAt(j);
  if (code === COLON || code === COMMA || code === CLOSE_BRACE) return YES;
  if (j === i + 1) return NO;
  if (isQuote(code) || isDigit(code) || code === MINUS || code === OPEN_BRACE || code === OPEN_BRACKET) return YES;
  if (code === EQUALS || commentAt(s, j)) return YES;
  return literalAt(s, j);
}

const LITERALS = ["true", "false", "null", "True", "False", "None"];

/** Whether a whole JSON or Python literal stands at `j`. */
function literalAt(s: ParserState, j: number): Answer {
  const word = LITERALS.find((each) => s.text.startsWith(each, j));
  if (word === undefined) return s.end - j < 5 && LITERALS.some((each) => each.startsWith(s.text.slice(j))) ? atEnd(s, NO) : NO;
  const after = j + word.length;
  if (after >= s.end) return atEnd(s, YES);
  return isNamePart(s.text.charCodeAt(after)) ? NO : YES;
}

function endsBeforeComma(s: ParserState, comma: number): Answer {
  const j = pastSpace(s, comma + 1);
  if (j >= s.end) return atEnd(s, YES);
  const top = s.top;
  if (top?.object === undefined) return elementAt(s, j);
  const code = s.text.charCodeAt(j);
  if (code === CLOSE_BRACE || code === CLOSE_BRACKET || code === COMMA) return YES;
  if (commentAt(s, j) || ellipsisAt(s, j)) return YES;
  if (code === OPEN_BRACE) return s.frames.at(-2)?.array !== undefined ? YES : NO;
  return keyAt(s, j);
}

/** Brackets after the quote end the string unless they close a bracket that was opened inside it. */
function endsBeforeCloser(s: ParserState, open: OpenString, i: number, first: number): Answer {
  let closers = 0;
  let last = first;
  let j = first;
  while (j < s.end && isCloser(s.text.charCodeAt(j))) {
    closers++;
    last = j;
    j = pastSpace(s, j + 1);
  }
  if (j >= s.end) return atEnd(s, YES);
  const code = s.text.charCodeAt(j);
  if (opensInside(s, open, i, s.text.charCodeAt(first))) {
    if (code !== COMMA) return NO;
    const after = pastSpace(s, j + 1);
    if (after >= s.end) return atEnd(s, YES);
    const outer = s.frames.at(-1 - closers);
    if (outer?.object !== undefined) return keyAt(s, after);
    return isQuote(s.text.charCodeAt(after)) || s.text.charCodeAt(after) === OPEN_BRACE ? YES : NO;
  }
  if (code === COMMA || code === OPEN_BRACE || code === OPEN_BRACKET) return YES;
  if (closers >= s.frames.length || hasNewline(s, last, j)) return YES;
  if (commentAt(s, j)) return YES;
  return keyAt(s, j);
}

/** Whether the content up to `i` opens a bracket of this kind that it does not close. */
function opensInside(s: ParserState, open: OpenString, i: number, closer: number): boolean {
  countBrackets(s, open, i);
  if (closer === CLOSE_BRACE) return open.braces > 0;
  if (closer === CLOSE_BRACKET) return open.brackets > 0;
  return s.top?.tuple !== true;
}

/** Counts on from where it stopped last, so that all counting of a string is linear. */
export function countBrackets(s: ParserState, open: OpenString, to: number): void {
  const { text } = s;
  for (let i = open.counted; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === OPEN_BRACE) open.braces++;
    else if (code === OPEN_BRACKET) open.brackets++;
    else if (code === CLOSE_BRACE && open.braces > 0) open.braces--;
    else if (code === CLOSE_BRACKET && open.brackets > 0) open.brackets--;
  }
  open.counted = Math.max(open.counted, to);
}

/** `"a" + "b"`: another string has to follow the sign. */
function endsBeforePlus(s: ParserState, plus: number): Answer {
  const j = pastSpace(s, plus + 1);
  if (j >= s.end) return atEnd(s, NO);
  return isQuote(s.text.charCodeAt(j)) ? YES : NO;
}

/** A lone string ends where a line break or another document follows. */
function endsLone(s: ParserState, i: number, j: number): Answer {
  return hasNewline(s, i, j) && !isNamePart(s.text.charCodeAt(j)) ? YES : NO;
}

/** Without a comma, an element ends before something that can only be the next element. */
function endsElement(s: ParserState, i: number, j: number): Answer {
  const { text, end } = s;
  if (j === i + 1) return NO;
  const code = text.charCodeAt(j);
  if (isQuote(code)) return j + 1 < end ? (isSpace(text.charCodeAt(j + 1)) ? NO : YES) : atEnd(s, YES);
  if (code === OPEN_BRACE || code === OPEN_BRACKET) return YES;
  if (isDigit(code) || code === MINUS) return numberAt(s, j);
  if (literalAt(s, j) !== NO) return literalAt(s, j);
  return hasNewline(s, i, j) && isNamePart(code) ? elementAt(s, j) : NO;
}

/** Whether a number that a delimiter follows stands at `j`. */
function numberAt(s: ParserState, j: number): Answer {
  const { text, end } = s;
  let k = j + 1;
  while (k < end && (isDigit(text.charCodeAt(k)) || text.charCodeAt(k) === 46)) k++;
  k = pastSpace(s, k);
  if (k >= end) return atEnd(s, YES);
  const code = text.charCodeAt(k);
  return code === COMMA || isCloser(code) || isQuote(code) || isDigit(code) ? YES : NO;
}

/** Without a comma, a member ends before the next key: a quoted one anywhere, a plain or known name on a new line. */
function endsMember(s: ParserState, i: number, j: number): Answer {
  const code = s.text.charCodeAt(j);
  if (isQuote(code)) return j > i + 1 ? keyAt(s, j) : NO;
  if (code === COLON) return NO;
  if (hasNewline(s, i, j)) return code === OPEN_BRACE && s.openArrays > 0 ? YES : keyAt(s, j);
  return NO;
}

/**
 * Whether the quote at `i`, which does not end its string, shows that the string ended earlier: it opens the next line
 * of an array, or it ends a key whose opening quote was taken for content.
 */
export function overruns(s: ParserState, open: OpenString, i: number): Answer {
  const j = pastSpace(s, i + 1);
  if (j >= s.end) return s.final ? NO : WAITS;
  if (open.key || s.top === undefined) return NO;
  if (open.reopened < 0 || s.text.charCodeAt(j) !== COLON || s.top.array !== undefined) return NO;
  return i - open.reopened <= MAX_KEY ? YES : NO;
}

/** Longest key that is recognised when the quote before it was missing. */
const MAX_KEY = 200;

/**
 * Remembers the quote at `i` as one that may open the next string: a comma, or a line break, stands before it. `lowest`
 * is the first offset that belongs to the content.
 */
export function markReopening(s: ParserState, open: OpenString, i: number, lowest: number): void {
  open.reopened = -1;
  let j = i - 1;
  let newline = false;
  while (j >= lowest && isAnySpace(s.text.charCodeAt(j))) {
    if (s.text.charCodeAt(j) === NEWLINE) newline = true;
    j--;
  }
  if (j < lowest) return;
  const code = s.text.charCodeAt(j);
  const wanted = open.key ? COLON : COMMA;
  if (code !== wanted && (open.key || !newline)) return;
  open.reopened = i;
  open.cut = code === wanted ? j : j + 1;
  open.cutLength = open.content.length + open.cut - open.from;
}

function isAnySpace(code: number): boolean {
  return isSpace(code) || (code > 0x7f && isOddSpace(code));
}

export function isMarkedKey(open: OpenString): boolean {
  return open.key && open.reopened >= 0 && open.cutLength > 0;
}

/** The closing brackets that the open containers still need, innermost first, stand at the very end of the text. */
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
