import { type Postings, Scoreboard } from "./scoreboard.ts";

/** Shorter words have too many neighbours, longer ones are not words. */
const SHORTEST = 4;
const LONGEST = 40;
/** From this length on a word may have two slips. */
const LONG = 6;
/** How many words that share most with a misspelt one are compared with it letter by letter. */
const CANDIDATES = 8;

/** Finds the words of a list that somebody may have meant who wrote another. Built when it is first asked. */
export class Spelling {
  readonly #words: readonly string[];
  #index: { grams: ReadonlyMap<string, Postings>; board: Scoreboard } | undefined;

  constructor(words: Iterable<string>) {
    this.#words = [...words].filter((word) => isWord(word)).sort();
  }

  /** The words that are fewest slips of the pen away: one in a short word, two in a long one. */
  nearest(word: string): string[] {
    if (!isWord(word)) return [];
    this.#index ??= indexOf(this.#words);
    const { grams, board } = this.#index;
    for (const gram of gramsOf(word)) {
      const postings = grams.get(gram);
      if (postings !== undefined) board.add(postings);
    }
    const candidates = board.best(CANDIDATES);
    board.clear();
    let least = word.length < LONG ? 1 : 2;
    let nearest: string[] = [];
    for (const { place, score: shared } of candidates) {
      if (shared * 3 < word.length) break;
      const candidate = this.#words[place] ?? "";
      // Hardly anybody misspells the first letter, and short words are many: "rain" is not "train".
      if (word.length < LONG && candidate[0] !== word[0]) continue;
      const slips = slipsBetween(word, candidate, least);
      if (slips < least) nearest = [];
      if (slips <= least) nearest.push(candidate);
      least = Math.min(least, slips);
    }
    return nearest;
  }
}

function isWord(text: string): boolean {
  return text.length >= SHORTEST && text.length <= LONGEST && /^\p{L}+$/u.test(text);
}

function indexOf(words: readonly string[]): { grams: Map<string, Postings>; board: Scoreboard } {
  const byGram = new Map<string, number[]>();
  for (const [place, word] of words.entries()) {
    for (const gram of gramsOf(word)) {
      const list = byGram.get(gram);
      if (list === undefined) byGram.set(gram, [place]);
      else list.push(place);
    }
  }
  const grams = new Map<string, Postings>();
  for (const [gram, places] of byGram) {
    grams.set(gram, { places: Uint32Array.from(places), impacts: new Float32Array(places.length).fill(1) });
  }
  return { grams, board: new Scoreboard(new Float64Array(words.length).fill(1)) };
}

/** Three letters at a time, from before the first to behind the last; of a short word also all in order, for swaps. */
function gramsOf(word: string): Set<string> {
  const padded = `  ${word} `;
  const grams = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at++) grams.add(padded.slice(at, at + 3));
  if (word.length < LONG) grams.add([...word].sort().join(""));
  return grams;
}

/** Letters to put in, take out, change or swap with the next to get from one word to another; above `most`, that many. */
function slipsBetween(a: string, b: string, most: number): number {
  const enough = most + 1;
  if (Math.abs(a.length - b.length) > most) return enough;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row: number[] = [];
    let least = enough;
    for (let j = 0; j <= b.length; j++) {
      const kept = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped =
        j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? i) + 1 : enough;
      const across = j > 0 ? (last[j - 1] ?? i) + kept : enough;
      const slips = Math.min((last[j] ?? i) + 1, (row[j - 1] ?? i) + 1, across, swapped);
      row.push(slips);
      least = Math.min(least, slips);
    }
    if (least === enough) return enough;
    before = last;
    last = row;
  }
  return Math.min(last[b.length] ?? enough, enough);
}
