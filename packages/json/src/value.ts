import {
  BACKSLASH,
  BACKTICK,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  isQuote,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  QUOTE,
} from "./characters.ts";
import { missingValue, onCloser } from "./closer.ts";
import { readEscapedString } from "./escaped-string.ts";
import { type Answer, ellipsisAt, NO, YES } from "./lookahead.ts";
import { endHere, skip, skipEllipsis, skipFence } from "./skip.ts";
import type { ParserState } from "./state.ts";
import { readString } from "./string.ts";
import { readWord } from "./word.ts";

/** Reads what stands where a value is expected. */
export function onValue(s: ParserState): Answer {
  const code = s.text.charCodeAt(s.pos);
  if (code === QUOTE) return readStringValue(s);
  if (code === OPEN_BRACE) return openAt(s, false, false);
  if (code === OPEN_BRACKET) return openAt(s, true, false);
  if (code === CLOSE_BRACE || code === CLOSE_BRACKET) return onCloser(s, code);
  if (code === COMMA) return onCommaForValue(s);
  if (code === BACKTICK && s.text.startsWith("```", s.pos)) return skipFence(s);
  if (isQuote(code)) return readStringValue(s);
  if (code === BACKSLASH && isQuote(s.text.charCodeAt(s.pos + 1))) {
    const answer = readEscapedString(s);
    if (answer === YES) s.put(s.token);
    return answer;
  }
  return onOtherValue(s, code);
}

export function readStringValue(s: ParserState): Answer {
  const answer = readString(s, false);
  if (answer === YES) s.put(s.token);
  return answer;
}

function onOtherValue(s: ParserState, code: number): Answer {
  if (code === OPEN_PAREN) return openAt(s, true, true);
  if (code === CLOSE_PAREN && s.top?.tuple === true) return onCloser(s, code);
  if (s.stops.length > 0 && s.atStop(s.pos)) return endHere(s);
  if (ellipsisAt(s, s.pos)) return skipEllipsis(s);
  if (code === COLON) return skip(s, "unexpected-text", 1);
  const answer = readWord(s);
  if (answer === YES) s.put(s.token);
  else if (answer === NO && s.pos < s.end) return skip(s, "unexpected-text", 1);
  return answer;
}

function openAt(s: ParserState, array: boolean, tuple: boolean): Answer {
  s.openFrame(array, tuple);
  s.pos++;
  return YES;
}

function onCommaForValue(s: ParserState): Answer {
  if (s.top?.object !== undefined) return missingValue(s);
  return skip(s, "extra-comma", 1);
}
