import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COMMA,
  isCloser,
  isComma,
  isLetter,
  isQuote,
  isSpace,
  LESS,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  SLASH,
} from "./characters.ts";
import { degreeOfElement, degreeOfLiteral, degreeOfNumber, degreeOfWord } from "./degree.ts";
import { unescaped } from "./escape.ts";
import { cutLiteral, literal } from "./literal.ts";
import {
  type Answer,
  commentAt,
  ellipsisAt,
  hasNewline,
  keyAt,
  NO,
  nextQuote,
  pastSpace,
  WAITS,
  YES,
} from "./lookahead.ts";
import { lenientNumber, numberEnd, takeNumber } from "./number.ts";
import { lessSure } from "./repair.ts";
import { ANY_NUMBER, ANY_STRING, BOOLEAN, type SchemaHint } from "./schema-hint.ts";
import type { ParserState } from "./state.ts";

/**
 * Reads a value without quotes: a number, a literal, or text that lacks its quotes. YES leaves it in `s.token`; NO
 * means that what stood there is no value.
 */
export function readWord(s: ParserState): Answer {
  const start = s.pos;
  const number = numberEnd(s, start);
  if (number > start && isWholeNumber(s, number)) {
    const literal = s.text.slice(start, number);
    if (s.spaced === s.base + start && degreeOfElement(literal) !== "exact")
      s.repairs.doubtLast("missing-comma");
    s.token = takeNumber(s, start, literal);
    s.pos = number;
    return YES;
  }
  const stop = wordEnd(s, start);
  if (stop < 0) return WAITS;
  let word = s.text.slice(start, stop).trimEnd();
  s.pos = stop;
  const cut = stop >= s.end && s.frames.length > (s.bare ? 1 : 0);
  if (!cut && isQuote(s.text.charCodeAt(stop)) && strayQuote(s, stop)) {
    s.report("missing-quote", start, "", '"');
    s.pos = stop + 1;
    word = s.text.slice(start, stop);
  }
  return cut ? cutWord(s, start, word) : wholeWord(s, start, word);
}

/** Whether a number that ends here is all of the value: `5` is, `5 kg` is text unless a number is wanted. */
function isWholeNumber(s: ParserState, i: number): boolean {
  if (i >= s.end) return false;
  const code = s.text.charCodeAt(i);
  if (code === COMMA) return !isThousands(s, i);
  if (!isSpace(code)) return code === CLOSE_BRACE || code === CLOSE_BRACKET;
  const j = pastSpace(s, i);
  if (j >= s.end) return s.final;
  if (!isLetter(s.text.charCodeAt(j)) || s.top?.object === undefined || hasNewline(s, i, j)) return true;
  return s.valueHint()?.demands(ANY_NUMBER) === true || keyAt(s, j) === YES;
}

/** `1,000` in an object, where a bare number cannot be the next key. */
function isThousands(s: ParserState, comma: number): boolean {
  if (s.top?.object === undefined || s.text.charCodeAt(comma) !== COMMA) return false;
  if (!/^,\d{3}(?!\d)/.test(s.text.slice(comma, comma + 5))) return false;
  return s.text.charCodeAt(pastSpace(s, comma + 4)) !== 58;
}

function wholeWord(s: ParserState, start: number, word: string): Answer {
  if (word === "") return NO;
  const hint = s.valueHint();
  s.token = meaning(s, start, word, hint);
  return YES;
}

function meaning(s: ParserState, start: number, word: string, hint: SchemaHint | undefined): unknown {
  const value = literal(word);
  if (s.spaced === s.base + start && degreeOfElement(word) !== "exact") s.repairs.doubtLast("missing-comma");
  const behindComma = isBehindComma(s, start) ? degreeOfElement(word) : "exact";
  if (value !== undefined && !(typeof value === "boolean" && wantsText(hint, BOOLEAN))) {
    if (word !== "true" && word !== "false" && word !== "null")
      s.report("literal", start, word, String(value), degreeOfLiteral(word));
    return value;
  }
  if (!wantsText(hint, ANY_NUMBER)) {
    const number = lenientNumber(word, hint?.allows(ANY_NUMBER) === true && !hint.allows(ANY_STRING));
    if (number !== undefined) {
      if (String(number) !== word)
        s.report("number", start, word, String(number), lessSure(degreeOfNumber(word, number), behindComma));
      if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number)))
        s.inexact = s.inexact < 0 ? s.base + start : s.inexact;
      return number;
    }
  }
  const inner = callArgument(word);
  if (inner !== undefined) {
    s.report("call", start, word, inner);
    return isQuote(inner.charCodeAt(0)) ? unescaped(inner.slice(1, -1)) : meaning(s, start, inner, hint);
  }
  s.report("unquoted-value", start, word, JSON.stringify(word), lessSure(degreeOfWord(word), behindComma));
  return word;
}

/** Whether nothing stands between an element of a list and the comma before it. */
function isBehindComma(s: ParserState, start: number): boolean {
  return s.top?.array !== undefined && s.comma >= 0 && s.comma === s.base + start - 1;
}

/** The schema asks for text here and not for what the word would otherwise be. */
function wantsText(hint: SchemaHint | undefined, other: number): boolean {
  return hint?.allows(ANY_STRING) === true && !hint.allows(other);
}

const CALL = /^(?:new )?[A-Za-z_$][\w$.]{0,60}\(\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?[\w.]+)\s*\);?$/;

/** The one plain argument of `ObjectId("x")`; undefined for any other word. */
function callArgument(word: string): string | undefined {
  if (!/\);?$/.test(word.slice(-2)) || word.length > 1_000) return undefined;
  return CALL.exec(word)?.[1];
}

/** The text ended in or right after the word, so it may be only the beginning of what was meant. */
function cutWord(s: ParserState, start: number, word: string): Answer {
  s.cut = true;
  s.token = cutMeaning(word);
  s.report("truncated", start, word, s.token === undefined ? "" : JSON.stringify(s.token));
  return s.token === undefined ? NO : YES;
}

/** The value that a word which may go on stands for so far; undefined when it stands for nothing yet. */
export function cutMeaning(word: string): unknown {
  if (/^[-+.]?$/.test(word)) return undefined;
  const whole = literal(word);
  if (whole !== undefined) return whole;
  const begun = cutLiteral(word);
  return begun !== undefined ? begun : (lenientNumber(word, true) ?? word);
}

/** A quote right after a word ends it, if a delimiter follows: the opening quote was missing. */
function strayQuote(s: ParserState, i: number): boolean {
  const j = pastSpace(s, i + 1);
  return j >= s.end || s.text.charCodeAt(j) === COMMA || isCloser(s.text.charCodeAt(j));
}

/**
 * Offset after the text of an unquoted value, -1 when more text is needed. In an object a comma belongs to the text
 * unless a key follows it; brackets that the text opens itself belong to it.
 */
function wordEnd(s: ParserState, start: number): number {
  const { text, end } = s;
  let parens = 0;
  let braces = 0;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === OPEN_PAREN) parens++;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (isKnown(text.slice(start, i))) return i;
      braces++;
    } else if (code !== COMMA && isComma(code) && isKnown(text.slice(start, i))) return i;
    else if (code === NEWLINE) return i;
    else if (code === CLOSE_PAREN) {
      if (parens === 0 && s.top?.tuple === true) return i;
      parens--;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (braces === 0) return i;
      braces--;
    } else if (isQuote(code)) {
      const next = parens > 0 ? nextQuote(s, i) : quoteInWord(s, start, i);
      if (next < 0) return next === STOP ? i : -1;
      i = next;
    } else if (code === COMMA && parens <= 0) {
      const answer = commaEndsWord(s, start, i);
      if (answer === WAITS) return -1;
      if (answer === YES) return i;
    } else if (isSpace(code) && i + 1 < end && commentAt(s, i + 1)) return i;
    else if (code === SLASH && i > start && commentAt(s, i) && isKnown(text.slice(start, i))) return i;
    else if (code === LESS && s.stops.length > 0 && s.atStop(i)) return i;
  }
  return s.final ? end : -1;
}

/** A literal or number, which no further text can belong to. */
function isKnown(text: string): boolean {
  const word = text.length < 40 ? text.trimEnd() : text;
  return word.length < 40 && (literal(word) !== undefined || lenientNumber(word, true) !== undefined);
}

const STOP = -2;

/** A quote ends the word if a delimiter or the next key follows; else it is an apostrophe or the like. */
function quoteInWord(s: ParserState, start: number, i: number): number {
  const j = pastSpace(s, i + 1);
  if (j >= s.end) return s.final ? STOP : -1;
  if (i > start && strayQuote(s, i)) return STOP;
  const spaced = i > start && isSpace(s.text.charCodeAt(i - 1));
  if (!spaced) return i;
  if (s.top?.array !== undefined) return STOP;
  const key = keyAt(s, i);
  return key === WAITS ? -1 : key === YES ? STOP : i;
}

function commaEndsWord(s: ParserState, start: number, comma: number): Answer {
  if (s.top?.object === undefined) return YES;
  if (isKnown(s.text.slice(start, Math.min(comma, start + 40))) && !isThousands(s, comma)) return YES;
  const j = pastSpace(s, comma + 1);
  if (j >= s.end) return s.final ? YES : WAITS;
  const code = s.text.charCodeAt(j);
  if (code === COMMA || isCloser(code) || code === OPEN_BRACE || commentAt(s, j) || ellipsisAt(s, j))
    return YES;
  return keyAt(s, j);
}
