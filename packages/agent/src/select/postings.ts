import type { ToolDefinition } from "@toolrig/core";
import type { Postings } from "./scoreboard.ts";
import { stem, wordsOf } from "./tokens.ts";

/** How much a word counts by where it stands. */
const IN_NAME = 3;
const IN_DESCRIPTION = 1;
const IN_PARAMETER = 0.6;

/** BM25: how soon repetition stops to count, and how much length does. */
const K1 = 1.2;
const B = 0.5;

/** The words of a list of tools. */
export interface Terms {
  /** By stem: the tools that have it, with what it adds to their BM25 score. */
  readonly postings: ReadonlyMap<string, Postings>;
  /** The words as they are written, with their stems. */
  readonly spellings: ReadonlyMap<string, string>;
}

/** The stems of a tool with their weighted frequency. */
interface Document {
  readonly stems: ReadonlyMap<string, number>;
  /** The sum of the frequencies. */
  readonly length: number;
}

/** Names, descriptions and parameter names count. Places are those of the list. */
export function termsOf(definitions: readonly ToolDefinition[]): Terms {
  const spellings = new Map<string, string>();
  const documents = definitions.map((each) => documentOf(each, spellings));
  return { postings: postingsOf(documents), spellings };
}

function documentOf(
  { name, description, inputSchema }: ToolDefinition,
  spellings: Map<string, string>,
): Document {
  const stems = new Map<string, number>();
  let length = 0;
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) {
      let root = spellings.get(word);
      if (root === undefined) {
        root = stem(word);
        spellings.set(word, root);
      }
      stems.set(root, (stems.get(root) ?? 0) + weight);
      length += weight;
    }
  };
  add(name, IN_NAME);
  add(description, IN_DESCRIPTION);
  const { properties } = inputSchema;
  if (typeof properties === "object" && properties !== null) {
    for (const parameter of Object.keys(properties)) add(parameter, IN_PARAMETER);
  }
  return { stems, length };
}

function postingsOf(documents: readonly Document[]): Map<string, Postings> {
  const average = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
  const byStem = new Map<string, { place: number; length: number; frequency: number }[]>();
  for (const [place, { stems, length }] of documents.entries()) {
    for (const [root, frequency] of stems) {
      const list = byStem.get(root);
      if (list === undefined) byStem.set(root, [{ place, length, frequency }]);
      else list.push({ place, length, frequency });
    }
  }
  const postings = new Map<string, Postings>();
  for (const [root, list] of byStem) {
    const idf = Math.log(1 + (documents.length - list.length + 0.5) / (list.length + 0.5));
    const impactOf = ({ length, frequency }: (typeof list)[number]) =>
      (idf * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / average));
    postings.set(root, {
      places: Uint32Array.from(list, ({ place }) => place),
      impacts: Float32Array.from(list, impactOf),
    });
  }
  return postings;
}
