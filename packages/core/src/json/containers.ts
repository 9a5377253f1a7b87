import {
  BACKSLASH,
  BACKTICK,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  EQUALS,
  GREATER,
  isCloser,
  isNamePart,
  isQuote,
  isSpace,
  MINUS,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  PLUS,
  QUOTE,
} from "./characters.ts";
import { readEscapedString } from "./escaped-string.ts";
import { type Answer, ellipsisAt, keyAt, NO, pastSpace, WAITS, YES } from "./lookahead.ts";
import { COLON as EXPECT_COLON, DONE, KEY, NEXT, type ParserState, VALUE } from "./state.ts";
import { readString } from "./string.ts";
import { skipTrivia } from "./trivia.ts";
import { readWord } from "./word.ts";

/**
 * Runs the parser until the value is complete or the text at hand is used up. True when the value is complete. There
 * is no recursion: nesting costs memory, never stack.
 */
export function run(s: ParserState): boolean {
  for (;;) {
    if (s.inString) {
      if (!finishString(s)) return false;
      continue;
    }
    if (s.expect === DONE) return true;
    if (!skipTrivia(s) || s.pos >= s.end) return false;
    const answer =
      s.expect === NEXT ? onNext(s) : s.expect === KEY ? onKey(s) : s.expect === VALUE ? onValue(s) : onColon(s);
    if (answer === WAITS) return false;
  }
}

function finishString(s: ParserState): boolean {
  return (s.string.key ? readKeyString(s) : readStringValue(s)) !== WAITS;
}

function readStringValue(s: ParserState): Answer {
  const answer = readString(s, false);
  if (answer === YES) s.put(s.token);
  return answer;
}

function readKeyString(s: ParserState): Answer {
  const start = s.pos;
  const answer = readString(s, true);
  if (answer === YES) takeKey(s, start, s.token as string);
  return answer;
}

function takeKey(s: ParserState, start: number, key: string): void {
  const top = s.top;
  if (top?.object === undefined) return;
  if (s.cut) return;
  top.key = key;
  if (top.object[key] !== undefined && Object.hasOwn(top.object, key)) s.report("duplicate-key", start, key, key);
  s.expect = EXPECT_COLON;
}

function onValue(s: ParserState): Answer {
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

function missingValue(s: ParserState): Answer {
  s.report("missing-value", s.pos, "", "null");
  s.put(null);
  return YES;
}

function skipEllipsis(s: ParserState): Answer {
  let length = 3;
  while (s.text.charCodeAt(s.pos + length) === 46) length++;
  const inObject = s.top?.object !== undefined && s.expect === VALUE;
  s.report("ellipsis", s.pos, s.text.slice(s.pos, s.pos + length), inObject ? "null" : "");
  s.pos += length;
  if (inObject) s.put(null);
  return YES;
}

/** Drops text that fits nowhere. */
function skip(s: ParserState, kind: "unexpected-text" | "extra-comma" | "extra-closer" | "extra-opener", length: number): Answer {
  s.report(kind, s.pos, s.text.slice(s.pos, s.pos + length), "");
  s.pos += length;
  return YES;
}

function skipFence(s: ParserState): Answer {
  let length = 3;
  while (s.pos + length < s.end && isNamePart(s.text.charCodeAt(s.pos + length))) length++;
  s.report("fence", s.pos, s.text.slice(s.pos, s.pos + length), "");
  s.pos += length;
  return YES;
}

/** The text that follows is not the document's: it ends here, unfinished. */
function endHere(s: ParserState): Answer {
  s.end = s.pos;
  s.final = true;
  return YES;
}

/**
 * A closing bracket closes the nearest container of its kind and whatever is still open inside that. Where none of its
 * kind is open, it was meant for the innermost one.
 */
function onCloser(s: ParserState, code: number): Answer {
  const top = s.top;
  if (top === undefined) return skip(s, "extra-closer", 1);
  if (s.expect === VALUE && top.object !== undefined) missingValue(s);
  const comma = s.comma >= 0;
  if (comma && !top.tuple) s.report("trailing-comma", s.comma - s.base, ",", "");
  const wantsArray = code !== CLOSE_BRACE;
  const others = wantsArray ? s.openArrays : s.frames.length - s.openArrays;
  if (wantsArray !== (top.array !== undefined)) {
    if (others === 0) {
      s.report("wrong-closer", s.pos, s.text.charAt(s.pos), closerOf(s));
    } else {
      s.report("missing-closer", s.pos, "", closerOf(s));
      while (s.top !== undefined && (s.top.array !== undefined) !== wantsArray) s.closeFrame();
    }
  }
  s.pos++;
  closeTuple(s, comma);
  return YES;
}

/** Parentheses around one value are grouping; around several, or with a comma, a tuple. */
function closeTuple(s: ParserState, comma: boolean): void {
  const top = s.top;
  s.closeFrame();
  if (top?.tuple !== true || top.array === undefined) return;
  const grouping = top.array.length === 1 && !comma;
  if (grouping) s.replaceLast(top.array[0]);
  s.report("tuple", top.position - s.base, "(", grouping ? "" : "[");
}

function closerOf(s: ParserState): string {
  return s.top?.object !== undefined ? "}" : s.top?.tuple === true ? ")" : "]";
}

function onKey(s: ParserState): Answer {
  const code = s.text.charCodeAt(s.pos);
  if (code === QUOTE) return readKeyString(s);
  if (isCloser(code)) return code === CLOSE_PAREN ? skip(s, "unexpected-text", 1) : onCloser(s, code);
  if (code === COMMA) return skip(s, "extra-comma", 1);
  if (code === BACKTICK && s.text.startsWith("```", s.pos)) return skipFence(s);
  if (isQuote(code)) return readKeyString(s);
  if (code === BACKSLASH && isQuote(s.text.charCodeAt(s.pos + 1))) {
    const start = s.pos;
    const answer = readEscapedString(s);
    if (answer === YES) takeKey(s, start, s.token as string);
    return answer;
  }
  if (s.stops.length > 0 && s.atStop(s.pos)) return endHere(s);
  if (ellipsisAt(s, s.pos)) return skipEllipsis(s);
  if (code === OPEN_BRACE || code === OPEN_BRACKET) return onOpenerForKey(s, code);
  if (code === COLON) return skip(s, "unexpected-text", 1);
  return readPlainKey(s);
}

/** Where a key should be, an opening bracket begins the array's next element, or was written twice. */
function onOpenerForKey(s: ParserState, code: number): Answer {
  const parent = s.frames.at(-2);
  const empty = s.comma < 0;
  if (parent?.array !== undefined && (!empty || code === OPEN_BRACE)) {
    s.report("missing-closer", s.pos, "", "}");
    s.closeFrame();
    s.expect = VALUE;
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
    takeKey(s, pos, key);
    return YES;
  }
  return skip(s, "unexpected-text", Math.max(1, i - pos));
}

/** `{a "b"}`: a single word before a string is a key that lacks its colon. */
function spacedKey(key: string, code: number): boolean {
  return isQuote(code) && /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key) && key.toUpperCase() !== key;
}

function endsPlainKey(code: number): boolean {
  return code === COLON || code === COMMA || code === NEWLINE || code === EQUALS || isBracket(code) || isQuote(code);
}

function isBracket(code: number): boolean {
  return code === OPEN_BRACE || code === CLOSE_BRACE || code === OPEN_BRACKET || code === CLOSE_BRACKET;
}

function onColon(s: ParserState): Answer {
  const code = s.text.charCodeAt(s.pos);
  if (code === COLON) {
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

function onNext(s: ParserState): Answer {
  const code = s.text.charCodeAt(s.pos);
  const top = s.top;
  if (code === COMMA) {
    s.comma = s.base + s.pos;
    s.pos++;
    s.expect = top?.object !== undefined ? KEY : VALUE;
    return YES;
  }
  if (code === CLOSE_BRACE || code === CLOSE_BRACKET) return onCloser(s, code);
  if (code === CLOSE_PAREN && top?.tuple === true) return onCloser(s, code);
  if (s.stops.length > 0 && s.atStop(s.pos)) return endHere(s);
  if (code === PLUS && isQuote(s.text.charCodeAt(pastSpace(s, s.pos + 1)))) {
    s.report("concatenation", s.pos, "+", "");
    s.pos++;
    s.joining = true;
    s.expect = VALUE;
    return YES;
  }
  return top?.object !== undefined ? onNextMember(s, code) : onNextElement(s, code);
}

function onNextMember(s: ParserState, code: number): Answer {
  const key = code === BACKSLASH && isQuote(s.text.charCodeAt(s.pos + 1)) ? YES : keyAt(s, s.pos);
  if (key === WAITS) return WAITS;
  if (key === YES) {
    s.report("missing-comma", s.pos, "", ",");
    s.expect = KEY;
    return YES;
  }
  if (code === OPEN_BRACE && s.frames.at(-2)?.array !== undefined) {
    s.report("missing-closer", s.pos, "", "},");
    s.closeFrame();
    s.expect = VALUE;
    return YES;
  }
  return skip(s, "unexpected-text", junkLength(s));
}

function onNextElement(s: ParserState, code: number): Answer {
  if (code === COLON || code === CLOSE_PAREN) return skip(s, "unexpected-text", 1);
  if (isQuote(code) || code === OPEN_BRACE || code === OPEN_BRACKET || code === MINUS || isNamePart(code) || code === BACKSLASH) {
    s.report("missing-comma", s.pos, "", ",");
    s.expect = VALUE;
    return YES;
  }
  return skip(s, "unexpected-text", junkLength(s));
}

/** Up to where text that fits nowhere goes: the next delimiter or line. */
function junkLength(s: ParserState): number {
  const { text, end } = s;
  let i = s.pos + 1;
  while (i < end) {
    const code = text.charCodeAt(i);
    if (code === COMMA || code === NEWLINE || isBracket(code) || isQuote(code) || isSpace(code)) break;
    i++;
  }
  return i - s.pos;
}
