import { BACKSLASH } from "./characters.ts";
import { escapeInDoubt, mixesEscapes, unescaped } from "./escape.ts";
import { type Answer, WAITS, YES } from "./lookahead.ts";
import type { ParserState } from "./state.ts";

/**
 * Reads a string whose own quotes are escaped, as in a document that was encoded once too often: `\"text\"`. Inside,
 * everything is escaped once more, so the content is unescaped twice.
 */
export function readEscapedString(s: ParserState): Answer {
  const { text, end, pos } = s;
  const quote = text.charCodeAt(pos + 1);
  let close = pos + 2;
  while (close < end && !(text.charCodeAt(close) === quote && endsHere(text, close, pos + 2))) close++;
  if (close >= end && !s.final) return WAITS;
  if (!s.escaped) {
    s.escaped = true;
    s.report("escaped-document", pos, text.slice(pos, pos + 2), '"');
  }
  if (close >= end) {
    s.cut = true;
    s.report("truncated", end, "", '"');
  }
  const content = text.slice(
    pos + 2,
    close < end && text.charCodeAt(close - 1) === BACKSLASH ? close - 1 : close,
  );
  const once = unescaped(content);
  if (mixesEscapes(content) || escapeInDoubt(`"${once}`) >= 0) s.repairs.doubtLast("escaped-document");
  s.token = unescaped(once);
  s.pos = Math.min(close + 1, end);
  return YES;
}

/** The content's own backslashes come in fours, an escaped quote of it has three: one is left for the end. */
function endsHere(text: string, quote: number, lowest: number): boolean {
  const count = backslashesBefore(text, quote, lowest);
  return count === 0 || count % 4 === 1;
}

function backslashesBefore(text: string, i: number, lowest: number): number {
  let count = 0;
  while (i - count - 1 >= lowest && text.charCodeAt(i - count - 1) === BACKSLASH) count++;
  return count;
}
