import { setImmediate } from "node:timers/promises";

/** How long the event loop is kept, in characters that are looked at. */
const TURN = 1_000_000;

export interface Search {
  /** Also where one occurrence begins inside another. */
  readonly overlapping: boolean;
  /** After one more than these it is left: that tells that there are more. */
  readonly most: number;
  readonly signal: AbortSignal;
}

/**
 * Where a text occurs in another, in time that is linear in both, whatever they are. Others get their turn in between, and
 * the signal ends it.
 */
export async function occurrencesOf(wanted: string, text: string, search: Search): Promise<number[]> {
  const found: number[] = [];
  if (wanted.length > text.length) return found;
  const { overlapping, most, signal } = search;
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let turn = 0; turn < text.length; turn += TURN) {
    await setImmediate();
    signal.throwIfAborted();
    const end = Math.min(text.length, turn + TURN);
    for (let at = turn; at < end; at++) {
      const character = text.charCodeAt(at);
      while (matched > 0 && wanted.charCodeAt(matched) !== character) matched = borders[matched - 1] ?? 0;
      if (wanted.charCodeAt(matched) === character) matched += 1;
      if (matched < wanted.length) continue;
      found.push(at + 1 - wanted.length);
      if (found.length > most) return found;
      matched = overlapping ? (borders[matched - 1] ?? 0) : 0;
    }
  }
  return found;
}

/** Of each beginning of a text: how long the longest other one is that it ends with. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  for (let at = 1, matched = 0; at < text.length; at++) {
    while (matched > 0 && text.charCodeAt(matched) !== text.charCodeAt(at))
      matched = borders[matched - 1] ?? 0;
    if (text.charCodeAt(matched) === text.charCodeAt(at)) matched += 1;
    borders[at] = matched;
  }
  return borders;
}
