import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  EQUALS,
  isCloser,
  isColon,
  isComma,
  isDigit,
  isNamePart,
  isQuote,
  isSpace,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  PLUS,
} from "./characters.ts";
import {
  type Answer,
  atEnd,
  commentAt,
  elementAt,
  ellipsisAt,
  hasNewline,
  isBracket,
  keyAt,
  literalAt,
  MAX_KEY,
  NO,
  numberAt,
  pastSpace,
  YES,
} from "./lookahead.ts";
import type { OpenString } from "./open-string.ts";
import type { ParserState } from "./state.ts";

/**
 * Whether the quote at `i` ends the string it stands in. A quote that a model forgot to escape looks the same, so what
 * follows decides: a string ends where the rest reads on as JSON. Every look ahead stops at the next quote or sooner,
 * so that all of them together stay linear.
 */
export function endsString(s: ParserState, open: OpenString, i: number): Answer {
  const j = pastSpace(s, i + 1);
  if (j >= s.end) return atEnd(s, YES);
  if (open.key) return endsKey(s, i, j);
  if (open.nested && opensAny(s, open, i)) return NO;
  const code = s.text.charCodeAt(j);
  if (isComma(code)) return open.quoting && s.top?.object === undefined ? NO : endsBeforeComma(s, j, 0);
  if (isCloser(code)) return endsBeforeCloser(s, open, i, j);
  // Right behind the quote two slashes are the address of `src="//host/x"`, not a comment.
  const isAddress = j === i + 1 && s.text.startsWith("//", j);
  if ((commentAt(s, j) && !isAddress) || isLastFence(s, j)) return YES;
  if (s.stops.length > 0 && s.atStop(j)) return YES;
  if (code === PLUS) return endsBeforePlus(s, j);
  if (s.top === undefined) return endsLone(s, i, j);
  if (s.top.array !== undefined) return endsElement(s, open, i, j);
  return endsMember(s, open, i, j);
}

/** The code fence that closes the document. */
function isLastFence(s: ParserState, i: number): boolean {
  return s.text.startsWith("```", i) && pastSpace(s, i + 3) >= s.end && s.final;
}

function endsKey(s: ParserState, i: number, j: number): Answer {
  const code = s.text.charCodeAt(j);
  if (isColon(code) || code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET) return YES;
  if (s.text.startsWith("=>", j)) return YES;
  if (j === i + 1) return NO;
  if (isQuote(code) || isDigit(code) || code === MINUS || code === OPEN_BRACE || code === OPEN_BRACKET)
    return YES;
  if (code === EQUALS || commentAt(s, j)) return YES;
  return literalAt(s, j);
}

/** What follows the comma must be able to go on the container that is open after `closers` have been closed. */
function endsBeforeComma(s: ParserState, comma: number, closers: number): Answer {
  const j = pastSpace(s, comma + 1);
  if (j >= s.end) return atEnd(s, YES);
  const depth = s.frames.length - closers;
  if (depth < 0 || s.frames[depth - 1]?.object === undefined) return elementAt(s, j);
  const code = s.text.charCodeAt(j);
  if (code === CLOSE_BRACE || code === CLOSE_BRACKET || code === COMMA) return YES;
  if (commentAt(s, j) || ellipsisAt(s, j)) return YES;
  if (code === OPEN_BRACE) return s.frames[depth - 2]?.array !== undefined ? YES : NO;
  const key = keyAt(s, j);
  return key === NO && code !== COLON ? keyAfterWord(s, j) : key;
}

/** A remark in capitals may stand before the next key: `, NOTE "key": 1`. */
function keyAfterWord(s: ParserState, i: number): Answer {
  let j = i;
  while (j < s.end && isCapital(s.text.charCodeAt(j))) j++;
  if (j >= s.end) return atEnd(s, NO);
  const quote = pastSpace(s, j);
  return j > i && quote > j && quote < s.end && isQuote(s.text.charCodeAt(quote))
    ? keyAt(s, quote, true)
    : NO;
}

function isCapital(code: number): boolean {
  return (code >= 65 && code <= 90) || code === 95;
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
    if (code === COMMA) return endsBeforeComma(s, j, closers);
    if (commentAt(s, j)) return YES;
    return closers >= s.frames.length ? isLastQuote(s, open, i) : NO;
  }
  if (code === COMMA || code === OPEN_BRACE || code === OPEN_BRACKET) return YES;
  if (closers >= s.frames.length || hasNewline(s, last, j)) return YES;
  if (commentAt(s, j)) return YES;
  return keyAt(s, j);
}

/** After the last quote of the text there is no other place for the string to end. */
function isLastQuote(s: ParserState, open: OpenString, i: number): Answer {
  const next = s.text.indexOf(String.fromCharCode(open.quote), i + 1);
  return next >= 0 && next < s.end ? NO : atEnd(s, YES);
}

/** Whether the content up to `i` opens a bracket of this kind that it does not close. */
function opensInside(s: ParserState, open: OpenString, i: number, closer: number): boolean {
  countBrackets(s, open, i);
  if (closer === CLOSE_BRACE) return open.braces > 0;
  if (closer === CLOSE_BRACKET) return open.brackets > 0;
  return s.top === undefined ? open.parens > 0 : !s.top.tuple;
}

/** Whether any bracket that the content up to `i` opens is still open. */
export function opensAny(s: ParserState, open: OpenString, i: number): boolean {
  countBrackets(s, open, i);
  return open.braces > 0 || open.brackets > 0;
}

/** A quote right after the bracket that a string begins with: JSON was put into the string without escaping it. */
export function beginsNested(s: ParserState, open: OpenString, i: number): boolean {
  const first = s.text.charCodeAt(open.start);
  return i === open.start + 1 && (first === OPEN_BRACE || first === OPEN_BRACKET) && !s.unnested;
}

/** Counts on from where it stopped last, so that all counting of a string is linear. */
export function countBrackets(s: ParserState, open: OpenString, to: number): void {
  const { text } = s;
  for (let i = open.counted; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === OPEN_BRACE) open.braces++;
    else if (code === OPEN_BRACKET) open.brackets++;
    else if (code === OPEN_PAREN) open.parens++;
    else if (code === CLOSE_PAREN && open.parens > 0) open.parens--;
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
function endsElement(s: ParserState, open: OpenString, i: number, j: number): Answer {
  const { text, end } = s;
  const code = text.charCodeAt(j);
  if (code === COLON) return isPlainKey(s, open, i);
  if (j === i + 1 || open.quoting) return NO;
  if (isQuote(code)) return j + 1 < end ? (isSpace(text.charCodeAt(j + 1)) ? NO : YES) : atEnd(s, YES);
  if (code === OPEN_BRACE || code === OPEN_BRACKET) return YES;
  if (isDigit(code) || code === MINUS) return numberAt(s, j);
  if (literalAt(s, j) !== NO) return literalAt(s, j);
  return hasNewline(s, i, j) && isNamePart(code) ? elementAt(s, j) : NO;
}

/** A key in an array, where its object lacks the opening bracket: a name, no sentence. */
function isPlainKey(s: ParserState, open: OpenString, i: number): Answer {
  const content = open.content + s.text.slice(Math.max(open.from, i - MAX_KEY), i);
  return content.length < MAX_KEY && /^[\p{L}\p{N}_$.-]+$/u.test(content) ? YES : NO;
}

/** Whether the quote at `i`, by what stands before it, opens a quotation rather than closing one. */
export function opensQuotation(s: ParserState, i: number): boolean {
  const before = s.text.charCodeAt(i - 1);
  return (
    isSpace(before) ||
    before === EQUALS ||
    before === COMMA ||
    before === COLON ||
    before === OPEN_PAREN ||
    isBracket(before) ||
    isQuote(before)
  );
}

/** Without a comma, a member ends before the next key: a quoted one anywhere, a plain or known name on a new line. */
function endsMember(s: ParserState, open: OpenString, i: number, j: number): Answer {
  const code = s.text.charCodeAt(j);
  if (isQuote(code)) return j > i + 1 || i > open.start ? keyAt(s, j, !hasNewline(s, i, j)) : NO;
  if (code === COLON) return NO;
  if (hasNewline(s, i, j)) {
    const next = code === OPEN_BRACE && s.openArrays > 0 ? YES : keyAt(s, j);
    if (next !== NO) return next;
  }
  return j > i + 1 && !open.quoting && !opensQuotation(s, i) ? closerAfterWords(s, j) : NO;
}

/** Nothing but stray words stands before the bracket that closes the container, and the document goes on behind it. */
function closerAfterWords(s: ParserState, from: number): Answer {
  let i = from;
  while (i < s.end && (isNamePart(s.text.charCodeAt(i)) || isSpace(s.text.charCodeAt(i)))) i++;
  if (i >= s.end) return atEnd(s, NO);
  if (i === from || s.text.charCodeAt(i) !== CLOSE_BRACE) return NO;
  while (i < s.end && (isCloser(s.text.charCodeAt(i)) || isSpace(s.text.charCodeAt(i)))) i++;
  if (i >= s.end) return atEnd(s, YES);
  return s.text.charCodeAt(i) === COMMA ? YES : NO;
}
