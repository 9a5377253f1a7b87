import {
  APOSTROPHE,
  BACKSLASH,
  BACKTICK,
  COMMA,
  endsQuote,
  isHexDigit,
  isNamePart,
  isSpace,
  QUOTE,
  SPACE,
} from "./characters.ts";
import { degreeOfTemplate } from "./degree.ts";
import { CUT, mixesEscapes, REFUSED, readEscape, unescaped } from "./escape.ts";
import { type Answer, MAX_KEY, NO, WAITS, YES } from "./lookahead.ts";
import type { OpenString } from "./open-string.ts";
import { closersAtEnd, cutShort, markReopening, overruns, readEndless } from "./overrun.ts";
import { endQuotation, NONE, noteQuotation } from "./quotation.ts";
import type { ParserState } from "./state.ts";
import { beginsNested, countBrackets, endsString, opensQuotation } from "./string-end.ts";

const CONTROL_BIT = 2;
const QUOTE_BIT = 4;
const INNER_BIT = 8;

/**
 * Reads the string that begins at the position, or goes on with the one that is open, and leaves it in `s.token`.
 * WAITS keeps what was read so far: no character is looked at twice, however small the pieces a text arrives in.
 */
export function readString(s: ParserState, key: boolean): Answer {
  if (!s.inString) {
    const answer = openString(s, key);
    if (answer !== NO) return answer;
  }
  return s.endless ? readEndless(s) : scanString(s);
}

/** NO when a string is now open; otherwise it was read whole, or more text is needed to open it. */
function openString(s: ParserState, key: boolean): Answer {
  const { text, pos } = s;
  const quote = text.charCodeAt(pos);
  const open = s.string;
  open.doubled = false;
  if (text.charCodeAt(pos + 1) === quote) {
    const answer = readTripled(s, quote);
    if (answer !== NO) return answer;
    open.doubled = (key || s.doubled) && pos + 2 < s.end && isNamePart(text.charCodeAt(pos + 2));
  }
  open.quote = quote;
  open.key = key;
  open.content = "";
  open.start = open.from = open.scan = open.counted = open.doubled ? pos + 2 : pos + 1;
  open.reopened = -1;
  open.braces = open.brackets = open.parens = open.reported = 0;
  open.literal = open.nested = open.quoting = open.joins = open.quotes = false;
  open.quotation = NONE;
  s.inString = true;
  return NO;
}

/** `"""text"""`, in which quotes and line breaks are content. */
function readTripled(s: ParserState, quote: number): Answer {
  const { text, pos, end } = s;
  if (pos + 2 < end && text.charCodeAt(pos + 2) !== quote) return NO;
  if (pos + 3 >= end) return s.final ? NO : WAITS;
  if (isDelimiter(text.charCodeAt(pos + 3))) return NO;
  const marks = text.slice(pos, pos + 3);
  const close = text.indexOf(marks, pos + 3);
  if (close < 0 || close + 3 > end) return s.final ? NO : WAITS;
  const content = text.slice(pos + 3, close);
  s.report("quote", pos, marks, '"', mixesEscapes(content) ? "guess" : undefined);
  s.token = unescaped(content);
  s.pos = close + 3;
  return YES;
}

function isDelimiter(code: number): boolean {
  return code === COMMA || code === 58 || code === 93 || code === 125;
}

function scanString(s: ParserState): Answer {
  const open = s.string;
  const { text, end } = s;
  const quote = open.quote;
  const straight = quote === QUOTE || quote === APOSTROPHE;
  let i = open.scan;
  while (i < end) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) {
      const next = readEscape(s, open, i);
      if (next === REFUSED) return refuse(s, i);
      if (next === CUT) return s.final ? endOfText(s, i) : suspend(s, i);
      i = next;
    } else if (straight ? code === quote : endsQuote(quote, code)) {
      const answer = endsString(s, open, i);
      if (answer === YES) return close(s, i);
      if (answer === WAITS) return suspend(s, i);
      const past = passQuote(s, i);
      if (past !== NO) return past === WAITS ? suspend(s, i) : YES;
      i++;
    } else {
      if (code < SPACE) {
        if (code === 0 && s.top === undefined) return refuse(s, i);
        noteControl(s, open, i);
      }
      i++;
    }
  }
  return s.final ? endOfText(s, end) : suspend(s, end);
}

/** Takes the quote at `i` as content, unless it shows that the string ended earlier: then YES, with that string read. */
function passQuote(s: ParserState, i: number): Answer {
  const open = s.string;
  const over = overruns(s, open, i);
  if (over === WAITS) return WAITS;
  if (over === YES) return cutShort(s, i);
  if (markReopening(s, open, i)) return cutShort(s, i);
  if (beginsNested(s, open, i)) open.nested = true;
  open.quoting = !open.quoting && opensQuotation(s, i);
  noteQuotation(s, open, i);
  if ((open.reported & INNER_BIT) === 0) {
    open.reported |= INNER_BIT;
    // In a list the same quote may end one element and begin the next.
    const degree = s.top?.array === undefined ? undefined : "guess";
    s.report("unescaped-quote", i, s.text.charAt(i), `\\${s.text.charAt(i)}`, degree);
    s.repairs.hasInnerQuotes = true;
  }
  return NO;
}

function close(s: ParserState, i: number): Answer {
  const open = s.string;
  endQuotation(s, open);
  const doubled = open.doubled && s.text.charCodeAt(i - 1) === open.quote;
  const rest = s.text.slice(open.from, doubled ? i - 1 : i);
  s.token = open.content === "" ? rest : open.content + rest;
  if (open.doubled && !doubled) s.token = `${String.fromCharCode(open.quote)}${s.token}`;
  if (open.key) s.doubled = doubled;
  if (open.quote !== QUOTE || doubled) noteQuote(s, open);
  s.pos = i + 1;
  s.inString = false;
  return YES;
}

function suspend(s: ParserState, i: number): Answer {
  const open = s.string;
  if (i > open.from) {
    open.content += s.text.slice(open.from, i);
    open.from = i;
  }
  countBrackets(s, open, i);
  if (i - open.reopened > MAX_KEY) open.reopened = -1;
  open.scan = i;
  return WAITS;
}

function refuse(s: ParserState, i: number): Answer {
  s.refused = i;
  s.pos = s.end;
  s.inString = false;
  return NO;
}

function noteControl(s: ParserState, open: OpenString, i: number): void {
  if ((open.reported & CONTROL_BIT) !== 0) return;
  open.reported |= CONTROL_BIT;
  s.reportControl(i);
}

function noteQuote(s: ParserState, open: OpenString): void {
  if ((open.reported & QUOTE_BIT) !== 0) return;
  open.reported |= QUOTE_BIT;
  const degree = open.quote === BACKTICK ? degreeOfTemplate(String(s.token)) : undefined;
  s.report("quote", open.start - 1, String.fromCharCode(open.quote), '"', degree);
}

/**
 * The text ended inside the string. If the brackets still owed stand at its very end, only the quote is missing and
 * the string is read again up to where it must have ended; otherwise the text was cut off here.
 */
function endOfText(s: ParserState, i: number): Answer {
  const open = s.string;
  if (open.nested) return readAgain(s);
  const stop = firstStop(s, open.start);
  if (stop >= 0) s.end = stop;
  else dropLastFence(s);
  s.pos = open.start;
  if (!s.truncated && s.frames.length > 0 && closersAtEnd(s) >= 0) {
    s.endless = true;
    s.unended = true;
    return readEndless(s);
  }
  const content =
    s.end < i ? unescaped(s.text.slice(open.start, s.end)) : open.content + s.text.slice(open.from, i);
  s.token = endsInHalf(s, i) ? content.slice(0, -1) : content;
  s.report("truncated", s.end, "", '"');
  s.pos = s.end;
  s.cut = true;
  s.inString = false;
  return YES;
}

/** Reads the string once more, now without taking it for nested JSON; done at most once a document. */
function readAgain(s: ParserState): Answer {
  s.unnested = true;
  s.inString = false;
  s.pos = s.string.start - 1;
  return readString(s, s.string.key);
}

/** A code fence at the very end closes the document, not the string. */
function dropLastFence(s: ParserState): void {
  let i = s.end;
  while (i > s.string.start && isSpace(s.text.charCodeAt(i - 1))) i--;
  const end = i;
  while (i > s.string.start && s.text.charCodeAt(i - 1) === BACKTICK) i--;
  if (end - i < 3 || s.truncated || s.frames.length === 0) return;
  s.report("fence", i, s.text.slice(i, end), "");
  s.end = i;
}

function firstStop(s: ParserState, from: number): number {
  let first = -1;
  for (const stop of s.stops) {
    const at = s.text.indexOf(stop, from);
    if (at >= 0 && at < s.end && (first < 0 || at < first)) first = at;
  }
  return first;
}

/**
 * What was read of the open string, without the half of a character that a cut between its two halves leaves. The
 * content is a rope while it grows: looking into it would copy it, so the text is looked at instead.
 */
export function contentSoFar(s: ParserState): string {
  const { content } = s.string;
  return endsInHalf(s, s.string.scan) ? content.slice(0, -1) : content;
}

function endsInHalf(s: ParserState, end: number): boolean {
  const last = s.text.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) return true;
  return isHexDigit(last) && /\\u[dD][89abAB][0-9a-fA-F]{2}$/.test(s.text.slice(Math.max(0, end - 6), end));
}
