/** Lines of a text that look most like others: what a model most likely meant when its text was not found. */
export interface NearestLines {
  /** From 1. */
  readonly first: number;
  readonly last: number;
  readonly lines: readonly string[];
  /** From 0 to 1. */
  readonly likeness: number;
  /** They are the same but for white space. */
  readonly spacing: boolean;
}

/** Characters of the text that are looked at, from its beginning. The event loop is held for as long. */
const MAX_CHARACTERS = 1_000_000;
/** Characters of a line that are compared. */
const MAX_LENGTH = 400;
const MAX_WANTED = 200;
const CANDIDATES = 20;
/** Less alike than this, nothing is worth showing. */
const LEAST = 0.3;

/** Undefined when no line is like the wanted ones. Its work is bounded, however long both texts are. */
export function nearestLines(text: string, wanted: string): NearestLines | undefined {
  const lines = text.slice(0, MAX_CHARACTERS).split(/\r?\n/);
  const sought = wanted.replace(/\r?\n$/, "").split(/\r?\n/, MAX_WANTED);
  const anchor = sought.reduce(
    (best, line, at) => (line.trim().length > (sought[best] ?? "").trim().length ? at : best),
    0,
  );
  const key = pairsOf(sought[anchor] ?? "");
  const starts = lines
    .map((line, at) => ({ start: at - anchor, score: likeness(key, line) }))
    .filter(({ start, score }) => start >= 0 && start < lines.length && score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, CANDIDATES);
  const keys = sought.map(pairsOf);
  let best: { start: number; score: number } | undefined;
  for (const { start } of starts) {
    const score =
      keys.reduce((sum, each, at) => sum + likeness(each, lines[start + at] ?? ""), 0) / keys.length;
    if (best === undefined || score > best.score) best = { start, score };
  }
  if (best === undefined || best.score < LEAST) return undefined;
  const found = lines.slice(best.start, best.start + sought.length);
  return {
    first: best.start + 1,
    last: best.start + found.length,
    lines: found,
    likeness: best.score,
    spacing: squeezed(found) === squeezed(sought),
  };
}

function squeezed(lines: readonly string[]): string {
  return lines.join("\n").replaceAll(/\s+/g, "");
}

/** Pairs of neighbouring characters, without indentation; of a single character, the pair with nothing. */
function pairsOf(line: string): Set<number> {
  const text = line.trim().slice(0, MAX_LENGTH);
  const pairs = new Set<number>();
  for (let at = 0; at < Math.max(1, text.length - 1); at++)
    pairs.add((text.charCodeAt(at) || 0) * 65_536 + (text.charCodeAt(at + 1) || 0));
  return pairs;
}

/** The share of pairs that both have. */
function likeness(key: ReadonlySet<number>, line: string): number {
  const pairs = pairsOf(line);
  let shared = 0;
  for (const pair of pairs) if (key.has(pair)) shared += 1;
  return (2 * shared) / (key.size + pairs.size);
}
