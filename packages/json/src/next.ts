import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  isComma,
  isNamePart,
  isQuote,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
} from "./characters.ts";
import { onCloser } from "./closer.ts";
import { type Answer, keyAt, pastSpace, WAITS, YES } from "./lookahead.ts";
import { endHere, junkLength, skip } from "./skip.ts";
import { KEY, type ParserState, VALUE } from "./state.ts";

/** Reads what follows a value: a comma, a closing bracket, or what stands there instead. */
export function onNext(s: ParserState): Answer {
  const code = s.text.charCodeAt(s.pos);
  const top = s.top;
  if (code === COMMA) {
    s.comma = s.base + s.pos;
    s.pos++;
    s.expect = top?.object !== undefined ? KEY : VALUE;
    return YES;
  }
  if (isComma(code)) {
    s.report("missing-comma", s.pos, s.text.charAt(s.pos), ",");
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
  if (code === COLON && s.openImplied()) {
    s.report("missing-opener", s.pos, "", "{");
    s.pos++;
    return YES;
  }
  if (code === COLON || code === CLOSE_PAREN) return skip(s, "unexpected-text", 1);
  if (
    isQuote(code) ||
    code === OPEN_BRACE ||
    code === OPEN_BRACKET ||
    code === MINUS ||
    isNamePart(code) ||
    code === BACKSLASH
  ) {
    // Without a comma, `"a" "b"` may be one string and `1 -2` a subtraction.
    const last = typeof s.last();
    const joins = (isQuote(code) && last === "string") || (code === MINUS && last === "number");
    s.report("missing-comma", s.pos, "", ",", joins ? "guess" : undefined);
    if (last === "number") s.spaced = s.base + s.pos;
    s.expect = VALUE;
    return YES;
  }
  return skip(s, "unexpected-text", junkLength(s));
}
