import {
  APOSTROPHE,
  BACKSLASH,
  COMMA,
  endsQuote,
  isSpace,
  NEWLINE,
  QUOTE,
  SPACE,
} from "./characters.ts";
import { CUT, REFUSED, readEscape, unescape } from "./escape.ts";
import { type Answer, hasNewline, keyAt, NO, WAITS, YES } from "./lookahead.ts";
import type { OpenString, ParserState } from "./state.ts";
import { closersAtEnd, countBrackets, endsString, isMarkedKey, markReopening, overruns } from "./string-end.ts";

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
  if (text.charCodeAt(pos + 1) === quote) {
    const answer = readTripled(s, quote);
    if (answer !== NO) return answer;
  }
  const open = s.string;
  open.quote = quote;
  open.key = key;
  open.content = "";
  open.start = open.from = open.scan = open.counted = pos + 1;
  open.reopened = -1;
  open.braces = open.brackets = open.reported = 0;
  open.literal = false;
  s.inString = true;
  return NO;
}

/** `"""text"""`, in which quotes and line breaks are content. */
function readTripled(s: ParserState, quote: number): Answer {
  const { text, pos, end } = s;
  if (pos + 3 >= end) return s.final ? NO : WAITS;
  if (text.charCodeAt(pos + 2) !== quote || isDelimiter(text.charCodeAt(pos + 3))) return NO;
  const marks = text.slice(pos, pos + 3);
  const close = text.indexOf(marks, pos + 3);
  if (close < 0 || close + 3 > end) return s.final ? NO : WAITS;
  s.report("quote", pos, marks, '"');
  s.token = unescape(text.slice(pos + 3, close));
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
  markReopening(s, open, i, Math.max(0, open.start));
  if (isMarkedKey(open)) return cutShort(s, i);
  if (s.top?.array !== undefined && open.reopened >= 0 && startsLine(s, open, i)) return cutShort(s, i);
  if ((open.reported & INNER_BIT) === 0) {
    open.reported |= INNER_BIT;
    s.report("unescaped-quote", i, s.text.charAt(i), `\\${s.text.charAt(i)}`);
  }
  return NO;
}

/** A comma, a line break, then a quote that something follows: the next line of an array. */
function startsLine(s: ParserState, open: OpenString, i: number): boolean {
  return s.text.charCodeAt(open.cut) === COMMA && hasNewline(s, open.cut, i) && !isSpace(s.text.charCodeAt(i + 1));
}

/** The string lacked its closing quote: it ends where its content was cut, and reading goes on there. */
function cutShort(s: ParserState, i: number): Answer {
  const open = s.string;
  s.token = (open.content + s.text.slice(open.from, i)).slice(0, open.cutLength);
  s.report("missing-quote", open.cut, "", '"');
  s.pos = open.cut;
  s.inString = false;
  return YES;
}

function close(s: ParserState, i: number): Answer {
  const open = s.string;
  const rest = s.text.slice(open.from, i);
  s.token = open.content === "" ? rest : open.content + rest;
  if (open.quote !== QUOTE) noteQuote(s, open);
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
  s.report("control-character", i, s.text.charAt(i), JSON.stringify(s.text.charAt(i)).slice(1, -1));
}

function noteQuote(s: ParserState, open: OpenString): void {
  if ((open.reported & QUOTE_BIT) !== 0) return;
  open.reported |= QUOTE_BIT;
  s.report("quote", open.start - 1, String.fromCharCode(open.quote), '"');
}

/**
 * The text ended inside the string. If the brackets still owed stand at its very end, only the quote is missing and
 * the string is read again up to where it must have ended; otherwise the text was cut off here.
 */
function endOfText(s: ParserState, i: number): Answer {
  const open = s.string;
  const stop = firstStop(s, open.start);
  if (stop >= 0) s.end = stop;
  s.pos = open.start;
  if (!s.truncated && s.frames.length > 0 && closersAtEnd(s) >= 0) {
    s.endless = true;
    return readEndless(s);
  }
  const content = stop >= 0 ? unescape(s.text.slice(open.start, stop)) : open.content + s.text.slice(open.from, i);
  s.token = withoutHalfPair(content);
  s.report("truncated", s.end, "", '"');
  s.pos = s.end;
  s.cut = true;
  s.inString = false;
  return YES;
}

function firstStop(s: ParserState, from: number): number {
  let first = -1;
  for (const stop of s.stops) {
    const at = s.text.indexOf(stop, from);
    if (at >= 0 && at < s.end && (first < 0 || at < first)) first = at;
  }
  return first;
}

/** A text cut between the two halves of a character leaves half of it. */
function withoutHalfPair(content: string): string {
  const last = content.charCodeAt(content.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? content.slice(0, -1) : content;
}

/** Ends the string at its quote, before the next key, or before the brackets at the end of the text. */
function readEndless(s: ParserState): Answer {
  const open = s.string;
  const { text } = s;
  const closers = closersAtEnd(s);
  const end = closers < 0 ? s.end : closers;
  let i = open.start;
  let separator = -1;
  while (i < end) {
    const code = text.charCodeAt(i);
    if (separator >= 0 && !isSpace(code)) {
      if (keyAt(s, i) === YES) break;
      separator = -1;
    }
    if (code === BACKSLASH) i++;
    else if (endsQuote(open.quote, code) && endsString(s, open, i) === YES) break;
    else if (separator < 0 && (code === COMMA || code === NEWLINE) && s.top?.object !== undefined) separator = i;
    i++;
  }
  i = separator >= 0 && i < end ? separator : Math.min(i, end);
  const isQuoted = i < end && i !== separator;
  const content = unescape(text.slice(open.start, i));
  s.token = isQuoted ? content : content.trimEnd();
  if (!isQuoted) s.report("missing-quote", i, "", '"');
  s.pos = isQuoted ? i + 1 : i;
  s.inString = false;
  return YES;
}
