import {
  BYTE_ORDER_MARK,
  HASH,
  isNamePart,
  isOddSpace,
  isSpace,
  NEWLINE,
  SLASH,
  SPACE,
  STAR,
} from "./characters.ts";
import { DEGREE, degreeOfComment } from "./degree.ts";
import { type ParserState, VALUE } from "./state.ts";

/**
 * Moves to the next character that means something, past white space and comments. False when more text is needed to
 * know; true at a character or at the end of a final text.
 */
export function skipTrivia(s: ParserState): boolean {
  const { text, end } = s;
  const codes = s.plainCodes();
  for (;;) {
    let i = s.pos;
    while (i < end && isSpace(codes[i]!)) i++;
    s.pos = i;
    if (i >= end) return s.final;
    const plain = codes[i]!;
    if (plain > SPACE && plain < 0x7f && plain !== SLASH && plain !== HASH) return true;
    const code = text.charCodeAt(i);
    const length = code === SLASH || code === HASH ? commentLength(s, i) : isOddSpace(code) ? 1 : 0;
    if (length === 0) return true;
    if (length < 0) return false;
    const kind = code === BYTE_ORDER_MARK ? "byte-order-mark" : isOddSpace(code) ? "whitespace" : "comment";
    const stop = i + length;
    const degree = kind === "comment" ? degreeOfComment(codes, i, stop) : DEGREE[kind];
    s.report(kind, i, text.slice(i, stop), "", degree);
    s.pos = stop;
  }
}

/** Length of the comment that begins here, 0 when none does, -1 when more text is needed to know. */
function commentLength(s: ParserState, i: number): number {
  const { text, end } = s;
  if (text.charCodeAt(i) === HASH) {
    const isValue = s.expect === VALUE && i + 1 < end && isNamePart(text.charCodeAt(i + 1));
    return isValue ? 0 : lineCommentLength(s, i);
  }
  if (i + 1 >= end) return s.final ? 0 : -1;
  const second = text.charCodeAt(i + 1);
  if (second === SLASH) return lineCommentLength(s, i);
  if (second !== STAR) return 0;
  const close = text.indexOf("*/", i + 2);
  if (close >= 0 && close + 2 <= end) return close + 2 - i;
  return s.final ? end - i : -1;
}

/**
 * A comment ends with its line. Where no further line follows, the text was joined into one line, and the comment ends
 * before the bracket that closes what it stands in.
 */
function lineCommentLength(s: ParserState, i: number): number {
  const { text, end } = s;
  if (i < s.lastLine()) return text.indexOf("\n", i) - i;
  if (!s.final) return -1;
  for (let j = i; j < end; j++) {
    const code = text.charCodeAt(j);
    if (code === 125 || code === 93) return j - i;
    if (code === NEWLINE) return j - i;
  }
  return end - i;
}
