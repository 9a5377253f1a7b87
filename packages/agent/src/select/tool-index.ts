import type { AnyTool, ToolDefinition } from "@toolrig/core";
import type { ToolSelector } from "@toolrig/core/kit";
import { termsOf } from "./postings.ts";
import { type Postings, Scoreboard, type Scored } from "./scoreboard.ts";
import { tokensOf } from "./tokens.ts";

/** A word that only begins like one of the index counts this much. */
const PREFIX = 0.5;
const PREFIX_LENGTH = 4;
const MAX_EXPANSIONS = 8;

export interface Ranked {
  tool: AnyTool;
  score: number;
}

/**
 * Ranks tools for a request by BM25 over names, descriptions and parameter names, times each tool's preference weight.
 * Everything that does not depend on the request is computed once. The same request gives the same list; ties are in
 * the order of names.
 */
export class ToolIndex implements ToolSelector {
  readonly #tools: readonly AnyTool[];
  readonly #weights: Float64Array;
  readonly #postings: ReadonlyMap<string, Postings>;
  readonly #stems: readonly string[];
  readonly #board: Scoreboard;

  /** `definitionOf` gives the description to index, where it differs from the tool's own. */
  constructor(
    tools: readonly AnyTool[],
    definitionOf: (tool: AnyTool) => ToolDefinition = (tool) => tool.definition,
    { weights = true } = {},
  ) {
    this.#tools = tools
      .filter((tool) => tool.preference?.enabled !== false)
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    this.#weights = Float64Array.from(this.#tools, (tool) => (weights ? (tool.preference?.weight ?? 1) : 1));
    this.#postings = termsOf(this.#tools.map(definitionOf)).postings;
    this.#stems = [...this.#postings.keys()].sort();
    this.#board = new Scoreboard(this.#weights);
  }

  /** The best `count` tools that are available and that `shows` lets through, best first. */
  select(query: string, count: number, shows?: (tool: AnyTool) => boolean): AnyTool[] {
    return this.rank(query, count, shows).map(({ tool }) => tool);
  }

  /** As `select`, with the scores. */
  rank(query: string, count: number, shows: (tool: AnyTool) => boolean = () => true): Ranked[] {
    // What is left out shows only when it is asked, so that now and then more than `count` have to be looked at.
    for (let most = count; ; most *= 8) {
      const best = this.#best(query, most);
      const ranked: Ranked[] = [];
      for (const { place, score } of best) {
        const tool = this.#tools[place];
        if (ranked.length < count && tool?.available() === true && shows(tool)) ranked.push({ tool, score });
      }
      if (ranked.length >= count || best.length < most) return ranked;
    }
  }

  /** Asks nobody, so that nothing can throw or come in between while the board is in use. */
  #best(query: string, count: number): Scored[] {
    const board = this.#board;
    for (const term of new Set(tokensOf(query))) {
      const exact = this.#postings.get(term);
      if (exact !== undefined) board.add(exact);
      else for (const similar of this.#beginningLike(term)) board.add(similar, PREFIX);
    }
    const best = board.best(count);
    board.clear();
    return best;
  }

  /** Postings of words that begin like one that is not in the index. */
  #beginningLike(root: string): Postings[] {
    if (root.length < PREFIX_LENGTH) return [];
    const beginning = root.slice(0, Math.max(PREFIX_LENGTH, root.length - 2));
    const found: Postings[] = [];
    for (let at = lowerBound(this.#stems, beginning); found.length < MAX_EXPANSIONS; at++) {
      const each = this.#stems[at];
      const postings = each?.startsWith(beginning) ? this.#postings.get(each) : undefined;
      if (postings === undefined) break;
      found.push(postings);
    }
    return found;
  }
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
