import type { AnyTool, ToolDefinition } from "@toolrig/core";
import type { ToolSelector } from "@toolrig/core/kit";
import { tokensOf } from "./tokens.ts";

/** How much a word counts by where it stands. */
const IN_NAME = 3;
const IN_DESCRIPTION = 1;
const IN_PARAMETER = 0.6;

/** BM25: how soon repetition stops to count, and how much length does. */
const K1 = 1.2;
const B = 0.5;

/** A word that only begins like one of the index counts this much. */
const PREFIX = 0.5;
const PREFIX_LENGTH = 4;
const MAX_EXPANSIONS = 8;

interface Postings {
  tools: Uint32Array;
  /** What the word adds to each tool's score. */
  impacts: Float32Array;
}

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
  readonly #postings = new Map<string, Postings>();
  readonly #vocabulary: readonly string[];
  readonly #scores: Float64Array;

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
    this.#scores = new Float64Array(this.#tools.length);
    this.#build(this.#tools.map((tool) => termsOf(definitionOf(tool))));
    this.#vocabulary = [...this.#postings.keys()].sort();
  }

  select(query: string, count: number): AnyTool[] {
    return this.rank(query, count).map(({ tool }) => tool);
  }

  /** The best `count` available tools with their scores, best first. */
  rank(query: string, count: number): Ranked[] {
    const touched: number[] = [];
    for (const term of new Set(tokensOf(query))) {
      const exact = this.#postings.get(term);
      if (exact !== undefined) this.#add(exact, 1, touched);
      else
        for (const similar of this.#similar(term)) this.#add(this.#postings.get(similar)!, PREFIX, touched);
    }
    const scores = this.#scores;
    for (const each of touched) scores[each]! *= this.#weights[each]!;
    const best = this.#best(touched, count);
    for (const each of touched) scores[each] = 0;
    return best;
  }

  #add({ tools, impacts }: Postings, factor: number, touched: number[]): void {
    const scores = this.#scores;
    for (let index = 0; index < tools.length; index++) {
      const each = tools[index]!;
      if (scores[each] === 0) touched.push(each);
      scores[each]! += impacts[index]! * factor;
    }
  }

  /** Takes the best off a heap until there are enough, so that the rest is never sorted. */
  #best(touched: number[], count: number): Ranked[] {
    const scores = this.#scores;
    const before = (a: number, b: number) => scores[a]! > scores[b]! || (scores[a] === scores[b] && a < b);
    for (let index = (touched.length >> 1) - 1; index >= 0; index--)
      siftDown(touched, index, touched.length, before);
    const best: Ranked[] = [];
    for (let end = touched.length; end > 0 && best.length < count; end--) {
      const top = touched[0]!;
      const tool = this.#tools[top]!;
      if (scores[top]! > 0 && tool.available() === true) best.push({ tool, score: scores[top]! });
      touched[0] = touched[end - 1]!;
      touched[end - 1] = top;
      siftDown(touched, 0, end - 1, before);
    }
    return best;
  }

  #similar(term: string): readonly string[] {
    if (term.length < PREFIX_LENGTH) return [];
    const stem = term.slice(0, Math.max(PREFIX_LENGTH, term.length - 2));
    const found: string[] = [];
    for (let at = lowerBound(this.#vocabulary, stem); found.length < MAX_EXPANSIONS; at++) {
      const word = this.#vocabulary[at];
      if (word === undefined || !word.startsWith(stem)) break;
      found.push(word);
    }
    return found;
  }

  #build(documents: readonly ReadonlyMap<string, number>[]): void {
    const lengths = documents.map((terms) => [...terms.values()].reduce((sum, each) => sum + each, 0));
    const average = lengths.reduce((sum, each) => sum + each, 0) / Math.max(1, lengths.length);
    const byTerm = new Map<string, [tool: number, frequency: number][]>();
    for (const [tool, terms] of documents.entries()) {
      for (const [term, frequency] of terms) {
        const list = byTerm.get(term);
        if (list === undefined) byTerm.set(term, [[tool, frequency]]);
        else list.push([tool, frequency]);
      }
    }
    for (const [term, list] of byTerm) {
      const idf = Math.log(1 + (documents.length - list.length + 0.5) / (list.length + 0.5));
      const impact = ([tool, frequency]: [number, number]) =>
        (idf * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * lengths[tool]!) / average));
      this.#postings.set(term, {
        tools: Uint32Array.from(list, ([tool]) => tool),
        impacts: Float32Array.from(list, impact),
      });
    }
  }
}

/** The words of a tool with their weighted frequency. */
function termsOf({ name, description, inputSchema }: ToolDefinition): Map<string, number> {
  const terms = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const token of tokensOf(text)) terms.set(token, (terms.get(token) ?? 0) + weight);
  };
  add(name, IN_NAME);
  add(description, IN_DESCRIPTION);
  const { properties } = inputSchema;
  if (typeof properties === "object" && properties !== null) {
    for (const parameter of Object.keys(properties)) add(parameter, IN_PARAMETER);
  }
  return terms;
}

function siftDown(
  heap: number[],
  from: number,
  end: number,
  before: (a: number, b: number) => boolean,
): void {
  const item = heap[from]!;
  let at = from;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= end) break;
    if (child + 1 < end && before(heap[child + 1]!, heap[child]!)) child += 1;
    if (!before(heap[child]!, item)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  if (end > from) heap[at] = item;
}

function lowerBound(words: readonly string[], target: string): number {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (words[middle]! < target) low = middle + 1;
    else high = middle;
  }
  return low;
}
