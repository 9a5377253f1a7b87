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

/** A tool of the index. Its score is that of the request at hand, and 0 between requests. */
interface Entry {
  readonly tool: AnyTool;
  readonly weight: number;
  /** By name. */
  readonly place: number;
  score: number;
}

/** The words of a tool with their weighted frequency. */
interface Document {
  readonly entry: Entry;
  readonly terms: ReadonlyMap<string, number>;
  /** The sum of the frequencies. */
  readonly length: number;
}

/** A tool that has a word, and what the word adds to its score. */
interface Posting {
  readonly entry: Entry;
  readonly impact: number;
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
  readonly #postings: ReadonlyMap<string, readonly Posting[]>;
  readonly #vocabulary: readonly string[];

  /** `definitionOf` gives the description to index, where it differs from the tool's own. */
  constructor(
    tools: readonly AnyTool[],
    definitionOf: (tool: AnyTool) => ToolDefinition = (tool) => tool.definition,
    { weights = true } = {},
  ) {
    const entries = tools
      .filter((tool) => tool.preference?.enabled !== false)
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
      .map((tool, place): Entry => {
        const weight = weights ? (tool.preference?.weight ?? 1) : 1;
        return { tool, weight, place, score: 0 };
      });
    this.#postings = postingsOf(entries.map((entry) => documentOf(entry, definitionOf(entry.tool))));
    this.#vocabulary = [...this.#postings.keys()].sort();
  }

  select(query: string, count: number): AnyTool[] {
    return this.rank(query, count).map(({ tool }) => tool);
  }

  /** The best `count` available tools with their scores, best first. */
  rank(query: string, count: number): Ranked[] {
    const touched: Entry[] = [];
    for (const term of new Set(tokensOf(query))) {
      const exact = this.#postings.get(term);
      if (exact !== undefined) addScores(exact, 1, touched);
      else for (const similar of this.#similar(term)) addScores(similar, PREFIX, touched);
    }
    for (const entry of touched) entry.score *= entry.weight;
    const best = takeBest(touched, count);
    for (const entry of touched) entry.score = 0;
    return best;
  }

  /** Postings of words that begin like one that is not in the index. */
  #similar(term: string): (readonly Posting[])[] {
    if (term.length < PREFIX_LENGTH) return [];
    const stem = term.slice(0, Math.max(PREFIX_LENGTH, term.length - 2));
    const found: (readonly Posting[])[] = [];
    for (let at = lowerBound(this.#vocabulary, stem); found.length < MAX_EXPANSIONS; at++) {
      const word = this.#vocabulary[at];
      const postings = word?.startsWith(stem) ? this.#postings.get(word) : undefined;
      if (postings === undefined) break;
      found.push(postings);
    }
    return found;
  }
}

function postingsOf(documents: readonly Document[]): Map<string, readonly Posting[]> {
  const average = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
  const byTerm = new Map<string, { document: Document; frequency: number }[]>();
  for (const document of documents) {
    for (const [term, frequency] of document.terms) {
      const list = byTerm.get(term);
      if (list === undefined) byTerm.set(term, [{ document, frequency }]);
      else list.push({ document, frequency });
    }
  }
  const postings = new Map<string, readonly Posting[]>();
  for (const [term, list] of byTerm) {
    const idf = Math.log(1 + (documents.length - list.length + 0.5) / (list.length + 0.5));
    const posting = ({ document: { entry, length }, frequency }: (typeof list)[number]): Posting => ({
      entry,
      impact: (idf * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / average)),
    });
    postings.set(term, list.map(posting));
  }
  return postings;
}

function documentOf(entry: Entry, { name, description, inputSchema }: ToolDefinition): Document {
  const terms = new Map<string, number>();
  let length = 0;
  const add = (text: string, weight: number) => {
    for (const token of tokensOf(text)) {
      terms.set(token, (terms.get(token) ?? 0) + weight);
      length += weight;
    }
  };
  add(name, IN_NAME);
  add(description, IN_DESCRIPTION);
  const { properties } = inputSchema;
  if (typeof properties === "object" && properties !== null) {
    for (const parameter of Object.keys(properties)) add(parameter, IN_PARAMETER);
  }
  return { entry, terms, length };
}

function addScores(postings: readonly Posting[], factor: number, touched: Entry[]): void {
  for (const { entry, impact } of postings) {
    if (entry.score === 0) touched.push(entry);
    entry.score += impact * factor;
  }
}

/** Takes the best off a heap until there are enough, so that the rest is never sorted. */
function takeBest(heap: Entry[], count: number): Ranked[] {
  for (let at = (heap.length >> 1) - 1; at >= 0; at--) sink(heap, heap[at]!, at);
  const best: Ranked[] = [];
  while (best.length < count) {
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined) break;
    if (heap.length > 0) sink(heap, last, 0);
    const { tool, score } = top;
    if (score > 0 && tool.available() === true) best.push({ tool, score });
    top.score = 0;
  }
  return best;
}

/** Puts an entry into a heap at a place, or below it behind those that come before it. */
function sink(heap: Entry[], entry: Entry, place: number): void {
  let at = place;
  for (;;) {
    let child = 2 * at + 1;
    let below = heap[child];
    const right = heap[child + 1];
    if (below !== undefined && right !== undefined && comesBefore(right, below)) {
      child += 1;
      below = right;
    }
    if (below === undefined || !comesBefore(below, entry)) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = entry;
}

function comesBefore(a: Entry, b: Entry): boolean {
  return a.score > b.score || (a.score === b.score && a.place < b.place);
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
