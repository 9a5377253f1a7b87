import { hashText } from "@toolrig/core/kit";
import { stem, wordsOf } from "../../src/select/tokens.ts";
import { THESAURUS } from "./thesaurus.ts";

const DIMENSIONS = 1_024;

const groups = new Map<string, number[]>();
for (const [group, line] of THESAURUS.trim().split("\n").entries()) {
  for (const word of line.split(" ").map(stem)) groups.set(word, [...(groups.get(word) ?? []), group]);
}

/**
 * Stands in for an embedding model where none can be had: the sum of hashed parts of the words of a text, of the words
 * themselves and of the groups of a thesaurus that they are in. It knows synonyms, but not what a sentence says.
 */
export async function localEmbedder(texts: string[]): Promise<number[][]> {
  return texts.map((text) => {
    const vector = new Array<number>(DIMENSIONS).fill(0);
    for (const word of wordsOf(text)) {
      const root = stem(word);
      add(vector, `word ${root}`, 1);
      const around = groups.get(root) ?? [];
      for (const group of around) add(vector, `group ${group}`, 1.5 / Math.sqrt(around.length));
      const parts = ` ${root} `;
      for (let at = 0; at + 3 <= parts.length; at++) add(vector, `part ${parts.slice(at, at + 3)}`, 0.2);
    }
    return vector;
  });
}

/** A feature in two of the dimensions, with signs, so that two that meet by accident hardly matter. */
function add(vector: number[], feature: string, weight: number): void {
  const hash = hashOf(feature);
  for (const bits of [hash >>> 0, (hash >>> 0) / 2 ** 16]) {
    const at = Math.floor(bits) % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + (hash & 1 ? weight : -weight);
  }
}

const hashes = new Map<string, number>();

function hashOf(text: string): number {
  let hash = hashes.get(text);
  if (hash === undefined) {
    hash = Number.parseInt(hashText(text).slice(0, 8), 16);
    hashes.set(text, hash);
  }
  return hash;
}
