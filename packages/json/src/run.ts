import { onColon, onKey, readKeyString } from "./key.ts";
import { type Answer, WAITS } from "./lookahead.ts";
import { onNext } from "./next.ts";
import { readPlain } from "./plain.ts";
import { DONE, KEY, NEXT, type ParserState, VALUE } from "./state.ts";
import { skipTrivia } from "./trivia.ts";
import { onValue, readStringValue } from "./value.ts";

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
    if (s.expect !== DONE) readPlain(s);
    if (s.expect === DONE) return true;
    if (!skipTrivia(s) || s.pos >= s.end) return false;
    if (step(s) === WAITS) return false;
  }
}

/** Reads one token that is not plain. Every step moves on in the text or expects something else than before. */
function step(s: ParserState): Answer {
  if (s.expect === NEXT) return onNext(s);
  if (s.expect === KEY) return onKey(s);
  return s.expect === VALUE ? onValue(s) : onColon(s);
}

function finishString(s: ParserState): boolean {
  return (s.string.key ? readKeyString(s) : readStringValue(s)) !== WAITS;
}
