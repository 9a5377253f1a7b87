import {
  APOSTROPHE,
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isDigit,
  isSpace,
  MINUS,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SLASH,
  SPACE,
} from "./characters.ts";
import { DEGREE } from "./degree.ts";
import { backslashPairs, simpleEscape } from "./escape.ts";
import { commentAt, YES } from "./lookahead.ts";
import { numberEnd, takeNumber } from "./number.ts";
import { DONE, COLON as EXPECT_COLON, KEY, NEXT, type ParserState, VALUE } from "./state.ts";
import { endsString } from "./string-end.ts";
import { skipTrivia } from "./trivia.ts";

/**
 * Reads plain JSON as far as it goes and stops before the first token that is anything else, so that a document costs
 * little where it is not broken. Accepts nothing that the careful readers would read differently.
 */
export function readPlain(s: ParserState): void {
  const { end } = s;
  const codes = s.plainCodes();
  for (;;) {
    let i = s.pos;
    if (i >= end) return;
    let code = codes[i]!;
    if (code <= SPACE) {
      while (i < end && isSpace(codes[i]!)) i++;
      s.pos = i;
      if (i >= end) return;
      code = codes[i]!;
    }
    if (!(code === SLASH ? afterComment(s) : plainToken(s, i, code))) return;
  }
}

function plainToken(s: ParserState, i: number, code: number): boolean {
  const expect = s.expect;
  if (expect === DONE) return false;
  if (expect === NEXT) return plainNext(s, code);
  const quoted = code === QUOTE || code === APOSTROPHE;
  if (expect === KEY) return quoted ? plainKey(s, i, code) : bareKey(s, i);
  if (quoted) return expect !== EXPECT_COLON && plainString(s, i, code);
  return expect === VALUE && plainValue(s, code);
}

/** Skips a comment and reads the plain key or string behind it. */
function afterComment(s: ParserState): boolean {
  if (s.expect === DONE || !skipTrivia(s) || s.endless || s.doubled) return false;
  const { codes, pos, end, expect } = s;
  if (pos >= end || codes[pos] !== QUOTE) return false;
  if (expect === VALUE) return plainString(s, pos, QUOTE);
  const close = expect === KEY ? keyEnd(codes, pos, end) : -1;
  if (close < 0) return false;
  s.pos = close + 1;
  s.takeKey(s.keys.read(s.text, codes, pos + 1, close));
  s.pos = close + 2;
  s.expect = VALUE;
  return true;
}

function plainNext(s: ParserState, code: number): boolean {
  const top = s.top;
  if (top === undefined) return false;
  if (code === COMMA) {
    s.comma = s.base + s.pos;
    s.expect = top.array === undefined ? KEY : VALUE;
    s.pos++;
    return true;
  }
  if (code === QUOTE && top.object !== undefined) return keyWithoutComma(s);
  if ((code === QUOTE || code === OPEN_BRACE) && top.array !== undefined && s.stops.length === 0) {
    const strings = code === QUOTE && typeof s.last() === "string";
    s.report("missing-comma", s.pos, "", ",", strings ? "guess" : DEGREE["missing-comma"]);
    s.expect = VALUE;
    return true;
  }
  const closes = top.array === undefined ? code === CLOSE_BRACE : code === CLOSE_BRACKET && !top.tuple;
  if (!closes) return false;
  s.closeFrame();
  s.pos++;
  return s.expect !== DONE;
}

/** Offset of the quote that ends a key without escapes which its colon follows at once, -1 when this is none. */
function keyEnd(codes: Uint8Array, quoteAt: number, end: number): number {
  const quote = codes[quoteAt]!;
  for (let i = quoteAt + 1; i < end; i++) {
    const code = codes[i]!;
    if (code === quote) return codes[i + 1] === COLON ? i : -1;
    if (code === BACKSLASH || code < SPACE) return -1;
  }
  return -1;
}

/** Reads a key that its colon follows at once. */
function plainKey(s: ParserState, quoteAt: number, quote: number): boolean {
  const { codes } = s;
  const close = keyEnd(codes, quoteAt, s.end);
  if (close < 0) return false;
  s.pos = quoteAt;
  s.takeKey(s.keys.read(s.text, codes, quoteAt + 1, close));
  s.pos = close + 2;
  s.expect = VALUE;
  if (quote === APOSTROPHE) s.report("quote", quoteAt, "'", '"', DEGREE.quote);
  return true;
}

/** The next key where a comma is missing. */
function keyWithoutComma(s: ParserState): boolean {
  const at = s.pos;
  if (!plainKey(s, at, QUOTE)) return false;
  s.report("missing-comma", at, "", ",", DEGREE["missing-comma"]);
  return true;
}

/** A key that lacks its quotes. */
function bareKey(s: ParserState, from: number): boolean {
  const colon = nameEnd(s.codes, from, s.end);
  if (colon < 0) return false;
  const key = s.keys.read(s.text, s.codes, from, colon);
  s.takeKey(key);
  s.report("unquoted-key", from, key, `"${key}"`, DEGREE["unquoted-key"]);
  s.pos = colon + 1;
  s.expect = VALUE;
  return true;
}

/** Offset of the colon that follows a name at once, -1 when this is none. */
function nameEnd(codes: Uint8Array, from: number, end: number): number {
  let i = from;
  while (i < end && isNameCode(codes[i]!)) i++;
  return i > from && codes[i] === COLON ? i : -1;
}

function isNameCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || isDigit(code);
}

/** Reads a string value whose end is beyond doubt, with escapes of one letter and raw control characters. */
function plainString(s: ParserState, quoteAt: number, quote: number): boolean {
  const { text, codes, end } = s;
  let value = "";
  let from = quoteAt + 1;
  let control = -1;
  for (let i = from; i < end; i++) {
    const code = codes[i]!;
    if (code === quote) {
      if (!endsPlainly(s, quoteAt, i, quote)) return false;
      const rest = text.slice(from, i);
      if (control >= 0) s.reportControl(control);
      if (quote === APOSTROPHE) s.report("quote", quoteAt, "'", '"', DEGREE.quote);
      s.put(value === "" ? rest : value + rest);
      s.pos = i + 1;
      return true;
    }
    if (code !== BACKSLASH && code >= SPACE) continue;
    if (s.doubled) return false;
    if (code === BACKSLASH) {
      const pairs = backslashPairs(text, i, end);
      const meaning = pairs > 0 ? "" : simpleEscape(codes[i + 1]!);
      if (meaning === undefined || (i === quoteAt + 3 && codes[i - 1] === COLON)) return false;
      value += text.slice(from, i + pairs) + meaning;
      from = i + (pairs > 0 ? 2 * pairs : 2);
      i = from - 1;
    } else if (s.top === undefined || s.endless) return false;
    else if (control < 0) control = i;
  }
  return false;
}

/** Whether the string ends at `close`. */
function endsPlainly(s: ParserState, quoteAt: number, close: number, quote: number): boolean {
  const after = s.codes[close + 1];
  if (after === COMMA && goesOn(s, close + 2, quote)) return true;
  if (after === quote && close === quoteAt + 1) return false;
  const open = s.string;
  open.key = false;
  open.reported = 0;
  open.quote = quote;
  open.content = "";
  open.start = open.from = open.counted = quoteAt + 1;
  open.braces = open.brackets = open.parens = 0;
  open.nested = open.quoting = false;
  return endsString(s, open, close) === YES;
}

/** Whether the next string, a plain key or a comment follows the comma before `i`. */
function goesOn(s: ParserState, i: number, quote: number): boolean {
  const { codes, end, top } = s;
  while (i < end && isSpace(codes[i]!)) i++;
  if (i >= end || top === undefined) return false;
  if (codes[i] === SLASH) return commentAt(s, i);
  if (codes[i] === quote) return top.array !== undefined || keyEnd(codes, i, end) >= 0;
  const colon = top.array === undefined ? nameEnd(codes, i, end) : -1;
  return colon >= 0 && colon + 1 < end && codes[colon + 1] !== SLASH;
}

function plainValue(s: ParserState, code: number): boolean {
  if (code === OPEN_BRACE || code === OPEN_BRACKET) {
    if (s.joining) return false;
    s.openFrame(code === OPEN_BRACKET, false);
    s.pos++;
    return true;
  }
  if (isDigit(code) || code === MINUS) return plainNumber(s);
  if (code === 116) return plainLiteral(s, "true", true);
  if (code === 102) return plainLiteral(s, "false", false);
  if (code === 110) return plainLiteral(s, "null", null);
  if (s.rootHint !== undefined) return false;
  if (code === 84) return plainLiteral(s, "True", true);
  if (code === 70) return plainLiteral(s, "False", false);
  return code === 78 && plainLiteral(s, "None", null);
}

/** A whole number of few digits is computed on the way; any other is left to `Number`. */
function plainNumber(s: ParserState): boolean {
  const { text, codes, pos, end } = s;
  if (s.spaced === s.base + pos) return false;
  let stop = pos;
  let value = 0;
  for (; stop < end; stop++) {
    const digit = codes[stop]! - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  const digits = stop - pos;
  if (digits > 15 || (digits > 1 && codes[pos] === 48) || !endsScalar(s, stop, true)) {
    stop = numberEnd(s, pos);
    if (stop === pos || !endsScalar(s, stop, true)) return false;
    s.put(takeNumber(s, pos, text.slice(pos, stop)));
  } else s.put(value);
  s.pos = stop;
  return true;
}

function plainLiteral(s: ParserState, word: string, value: boolean | null): boolean {
  const stop = s.pos + word.length;
  if (!endsScalar(s, stop, false)) return false;
  for (let i = 1; i < word.length; i++) if (s.codes[s.pos + i] !== word.charCodeAt(i)) return false;
  if (word.charCodeAt(0) < 97) s.report("literal", s.pos, word, String(value), DEGREE.literal);
  s.put(value);
  s.pos = stop;
  return true;
}

/** A bracket, a comma, or after space the next string follows; after a comma in an object, not a digit, which may be a thousands group. */
function endsScalar(s: ParserState, stop: number, number: boolean): boolean {
  const { codes, end } = s;
  if (stop >= end || s.joining) return false;
  let code = codes[stop]!;
  if (code <= SPACE) {
    const line = code === NEWLINE && s.top !== undefined && s.rootHint === undefined;
    while (stop < end && isSpace(codes[stop]!)) stop++;
    code = codes[stop]!;
    if (code === QUOTE) return number || line || s.top?.array !== undefined;
  }
  if (code === COMMA) return s.top?.array !== undefined || !isDigit(codes[stop + 1]!);
  return code === CLOSE_BRACE || code === CLOSE_BRACKET;
}
