import type { AnyTool, ToolDefinition } from "@toolrig/core";
import { check, type ToolSelector } from "@toolrig/core/kit";
import { termsOf } from "./postings.ts";
import { type Postings, Scoreboard, type Scored } from "./scoreboard.ts";
import { Spelling } from "./spelling.ts";
import { stem, wordsOf } from "./tokens.ts";

/** A word that only begins like one of the index, or that may be a misspelling of it, counts this much. */
const SIMILAR = 0.5;
const PREFIX_LENGTH = 4;
const MAX_EXPANSIONS = 8;
/** How many unknown words of a request are looked at: a pasted page has more than mean anything. */
const MAX_UNKNOWN = 16;

/** Rank fusion: how many of each ranking count, and how little the first few ranks differ. */
const FUSED = 50;
const FLATNESS = 10;

interface RankOptions {
  /** Whether a tool may be among the ranked. Default: all that are available. */
  shows?: (tool: AnyTool) => boolean;
  /** How like the request each of the index's `definitions` is, where that is known: counts as much as words do. */
  likenesses?: Float64Array | undefined;
}

export interface Ranked {
  tool: AnyTool;
  score: number;
}

/**
 * Ranks tools for a request by BM25 over names, descriptions and parameter names, times each tool's preference weight.
 * A word that no tool has stands for those that it begins like or may be a misspelling of. Everything that does not
 * depend on the request is computed once. The same request gives the same list; ties are in
 * the order of names.
 */
export class ToolIndex implements ToolSelector {
  /** Of the tools of the index, sorted by name. */
  readonly definitions: readonly ToolDefinition[];
  readonly #tools: readonly AnyTool[];
  readonly #weights: Float64Array;
  readonly #postings: ReadonlyMap<string, Postings>;
  readonly #spellings: ReadonlyMap<string, string>;
  readonly #spelling: Spelling;
  readonly #stems: readonly string[];
  readonly #board: Scoreboard;
  readonly #fusion: Scoreboard;

  /** `definitionOf` gives the description to index, where it differs from the tool's own. */
  constructor(
    tools: readonly AnyTool[],
    definitionOf: (tool: AnyTool) => ToolDefinition = (tool) => tool.definition,
    { weights = true } = {},
  ) {
    check.list("tools", tools, "a list of tools");
    check.function("definitionOf", definitionOf);
    this.#tools = tools
      .filter((tool) => tool.preference?.enabled !== false)
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    this.#weights = Float64Array.from(this.#tools, (tool) => (weights ? (tool.preference?.weight ?? 1) : 1));
    this.definitions = this.#tools.map(definitionOf);
    const { postings, spellings } = termsOf(this.definitions);
    this.#postings = postings;
    this.#spellings = spellings;
    this.#spelling = new Spelling(spellings.keys());
    this.#stems = [...postings.keys()].sort();
    this.#board = new Scoreboard(this.#weights);
    this.#fusion = new Scoreboard(new Float64Array(this.#tools.length).fill(1));
  }

  /** The best `count` tools that are available, best first. */
  select(query: string, count: number, options?: RankOptions): AnyTool[] {
    return this.rank(query, count, options).map(({ tool }) => tool);
  }

  /** As `select`, with the scores. */
  rank(query: string, count: number, { shows = () => true, likenesses }: RankOptions = {}): Ranked[] {
    // What is left out shows only when it is asked, so that now and then more than `count` have to be looked at.
    for (let most = count; ; most *= 8) {
      const best = likenesses === undefined ? this.#best(query, most) : this.#fused(query, likenesses, most);
      const ranked: Ranked[] = [];
      for (const { place, score } of best) {
        const tool = this.#tools[place];
        if (ranked.length < count && tool?.available() === true && shows(tool)) ranked.push({ tool, score });
      }
      if (ranked.length >= count || best.length < most) return ranked;
    }
  }

  /** By words and by likeness: what counts is how far in front a tool is in each ranking, not by how much. */
  #fused(query: string, likenesses: Float64Array, count: number): Scored[] {
    const depth = Math.max(FUSED, count);
    for (const ranking of [this.#best(query, depth), this.#likest(likenesses, depth)]) {
      for (const [rank, { place }] of ranking.entries()) this.#fusion.addTo(place, 1 / (FLATNESS + rank));
    }
    const best = this.#fusion.best(count);
    this.#fusion.clear();
    return best;
  }

  /** Models differ in what they call like, so that a likeness counts by how far it is above the average. */
  #likest(likenesses: Float64Array, count: number): Scored[] {
    const average = likenesses.reduce((sum, each) => sum + each, 0) / likenesses.length;
    for (const [place, each] of likenesses.entries()) {
      if (each > average) this.#board.addTo(place, each - average);
    }
    const best = this.#board.best(count);
    this.#board.clear();
    return best;
  }

  /** Asks nobody, so that nothing can throw or come in between while the board is in use. */
  #best(query: string, count: number): Scored[] {
    const board = this.#board;
    let unknown = 0;
    for (const [root, word] of stemsOf(query)) {
      const exact = this.#postings.get(root);
      if (exact !== undefined) board.add(exact);
      else if (unknown++ < MAX_UNKNOWN) {
        for (const similar of this.#similar(root, word)) board.add(similar, SIMILAR);
      }
    }
    const best = board.best(count);
    board.clear();
    return best;
  }

  /** Postings of words that begin like one that is not in the index, or that it may be a misspelling of. */
  #similar(root: string, word: string): Postings[] {
    const roots = new Set(this.#beginningLike(root));
    for (const spelt of this.#spelling.nearest(word)) roots.add(this.#spellings.get(spelt) ?? spelt);
    return [...roots].flatMap((each) => this.#postings.get(each) ?? []);
  }

  #beginningLike(root: string): string[] {
    if (root.length < PREFIX_LENGTH) return [];
    const beginning = root.slice(0, Math.max(PREFIX_LENGTH, root.length - 2));
    const found: string[] = [];
    for (let at = lowerBound(this.#stems, beginning); found.length < MAX_EXPANSIONS; at++) {
      const each = this.#stems[at];
      if (!each?.startsWith(beginning)) break;
      found.push(each);
    }
    return found;
  }
}

/** The different stems of a text, each with a word that it stands for. */
function stemsOf(text: string): Map<string, string> {
  const stems = new Map<string, string>();
  for (const word of wordsOf(text)) stems.set(stem(word), word);
  return stems;
}

function lowerBound(sorted: readonly string[], target: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < target) low = middle + 1;
    else high = middle;
  }
  return low;
}
