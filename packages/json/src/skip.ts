import { COMMA, isNamePart, isQuote, isSpace, NEWLINE } from "./characters.ts";
import { type Answer, isBracket, YES } from "./lookahead.ts";
import type { RepairKind } from "./repair-kinds.ts";
import { type ParserState, VALUE } from "./state.ts";

/** Drops text that fits nowhere. */
export function skip(s: ParserState, kind: RepairKind, length: number): Answer {
  s.report(kind, s.pos, s.text.slice(s.pos, s.pos + length), "");
  s.pos += length;
  return YES;
}

export function skipEllipsis(s: ParserState): Answer {
  let length = 1;
  while (s.text.charCodeAt(s.pos + length) === s.text.charCodeAt(s.pos)) length++;
  const inObject = s.top?.object !== undefined && s.expect === VALUE;
  s.report("ellipsis", s.pos, s.text.slice(s.pos, s.pos + length), inObject ? "null" : "");
  s.pos += length;
  if (inObject) s.put(null);
  return YES;
}

export function skipFence(s: ParserState): Answer {
  let length = 3;
  while (s.pos + length < s.end && isNamePart(s.text.charCodeAt(s.pos + length))) length++;
  // Inside the document it may be content, such as three backticks that quote nothing.
  s.report("fence", s.pos, s.text.slice(s.pos, s.pos + length), "", "lossy");
  s.pos += length;
  return YES;
}

/** The text that follows is not the document's: it ends here, unfinished. */
export function endHere(s: ParserState): Answer {
  s.end = s.pos;
  s.final = true;
  return YES;
}

/** Up to where text that fits nowhere goes: the next delimiter or line. */
export function junkLength(s: ParserState): number {
  const { text, end } = s;
  let i = s.pos + 1;
  while (i < end) {
    const code = text.charCodeAt(i);
    if (code === COMMA || code === NEWLINE || isBracket(code) || isQuote(code) || isSpace(code)) break;
    i++;
  }
  return i - s.pos;
}
