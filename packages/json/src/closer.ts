import { CLOSE_BRACE } from "./characters.ts";
import { DEGREE } from "./degree.ts";
import { type Answer, YES } from "./lookahead.ts";
import { skip } from "./skip.ts";
import { type ParserState, VALUE } from "./state.ts";

/**
 * A closing bracket closes the nearest container of its kind and whatever is still open inside that. Where none of its
 * kind is open, it was meant for the innermost one.
 */
export function onCloser(s: ParserState, code: number): Answer {
  const top = s.top;
  if (top === undefined) return skip(s, "extra-closer", 1);
  if (s.expect === VALUE && top.object !== undefined) missingValue(s);
  const comma = s.comma >= 0;
  if (comma && !top.tuple) s.report("trailing-comma", s.comma - s.base, ",", "", DEGREE["trailing-comma"]);
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

export function missingValue(s: ParserState): Answer {
  s.report("missing-value", s.pos, "", "null");
  s.put(null);
  return YES;
}
