import {
  BACKSLASH,
  BACKTICK,
  CLOSE_PAREN,
  COLON,
  COMMA,
  EQUALS,
  GREATER,
  isCloser,
  isColon,
  isQuote,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from "./characters.ts";
import { missingValue, onCloser } from "./closer.ts";
import { readEscapedString } from "./escaped-string.ts";
import { type Answer, ellipsisAt, isBracket, pastSpace, WAITS, YES } from "./lookahead.ts";
import { endHere, skip, skipEllipsis, skipFence } from "./skip.ts";
import { type ParserState, VALUE } from "./state.ts";
import { readString } from "./string.ts";

/** Reads what stands where a key is expected. */
export function onKey(s: ParserState): Answer {
  const code = s.text.charCodeAt(s.pos);
  if (code === QUOTE) return readKeyString(s);
  if (isCloser(code)) return code === CLOSE_PAREN ? skip(s, "unexpected-text", 1) : onCloser(s, code);
  if (code === COMMA) return skip(s, "extra-comma", 1);
  if (code === BACKTICK && s.text.startsWith("```", s.pos)) return skipFence(s);
  if (isQuote(code)) return readKeyString(s);
  if (code === BACKSLASH && isQuote(s.text.charCodeAt(s.pos + 1))) {
    const answer = readEscapedString(s);
    if (answer === YES && !s.cut) s.takeKey(s.token as string);
    return answer;
  }
  if (s.stops.length > 0 && s.atStop(s.pos)) return endHere(s);
  if (ellipsisAt(s, s.pos)) return skipEllipsis(s);
  if (code === OPEN_BRACE || code === OPEN_BRACKET) return onOpenerForKey(s, code);
  if (code === COLON) return skip(s, "unexpected-text", 1);
  return readPlainKey(s);
}

export function readKeyString(s: ParserState): Answer {
  const answer = readString(s, true);
  if (answer === YES && !s.cut) s.takeKey(s.token as string);
  return answer;
}

/**
 * Where a key should be, an opening bracket begins the array's next element, goes on with the value before the comma,
 * or was written twice.
 */
function onOpenerForKey(s: ParserState, code: number): Answer {
  const parent = s.frames.at(-2);
  const empty = s.comma < 0;
  if (parent?.array !== undefined && (!empty || code === OPEN_BRACE)) {
    s.report("missing-closer", s.pos, "", "}");
    s.closeFrame();
    s.expect = VALUE;
    return YES;
  }
  if (!empty && s.reopenLast(code === OPEN_BRACKET)) {
    s.report("early-closer", s.pos, s.text.charAt(s.pos), "");
    s.pos++;
    return YES;
  }
  return skip(s, empty ? "extra-opener" : "unexpected-text", 1);
}

/** Reads a key without quotes: the text before a colon, as long as nothing else ends it. */
function readPlainKey(s: ParserState): Answer {
  const { text, end, pos } = s;
  let i = pos;
  while (i < end && !endsPlainKey(text.charCodeAt(i))) i++;
  if (i >= end) {
    if (!s.final) return WAITS;
    s.cut = true;
    s.report("truncated", pos, text.slice(pos, end), "");
    s.pos = end;
    return YES;
  }
  const key = text.slice(pos, i).trimEnd();
  const code = text.charCodeAt(i);
  const strayQuote = isQuote(code) && text.charCodeAt(pastSpace(s, i + 1)) === COLON;
  if (key !== "" && (code === COLON || code === EQUALS || strayQuote || spacedKey(key, code))) {
    s.report(strayQuote ? "missing-quote" : "unquoted-key", pos, key, JSON.stringify(key));
    s.pos = strayQuote ? i + 1 : i;
    s.takeKey(key);
    return YES;
  }
  return skip(s, "unexpected-text", Math.max(1, i - pos));
}

/** `{a "b"}`: a single word before a string is a key that lacks its colon. */
function spacedKey(key: string, code: number): boolean {
  return isQuote(code) && /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key) && key.toUpperCase() !== key;
}

function endsPlainKey(code: number): boolean {
  return (
    code === COLON ||
    code === COMMA ||
    code === NEWLINE ||
    code === EQUALS ||
    isBracket(code) ||
    isQuote(code)
  );
}

export function onColon(s: ParserState): Answer {
  const code = s.text.charCodeAt(s.pos);
  if (code === COLON) {
    s.pos++;
  } else if (isColon(code)) {
    s.report("missing-colon", s.pos, s.text.charAt(s.pos), ":");
    s.pos++;
  } else if (code === EQUALS) {
    const length = s.text.charCodeAt(s.pos + 1) === GREATER ? 2 : 1;
    s.report("missing-colon", s.pos, s.text.slice(s.pos, s.pos + length), ":");
    s.pos += length;
  } else if (code === COMMA || isCloser(code)) {
    return missingValue(s);
  } else if (s.stops.length > 0 && s.atStop(s.pos)) {
    return endHere(s);
  } else {
    s.report("missing-colon", s.pos, "", ":");
  }
  s.expect = VALUE;
  return YES;
}
