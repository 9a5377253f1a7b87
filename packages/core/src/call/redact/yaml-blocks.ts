import { type Judge, looksRandom } from "./secret-keys.ts";
import { CONSTANT, isPlaceholder, TYPE, type Value } from "./value-at.ts";

/** A line of YAML that ends with a name, and perhaps with the sign of a block: what is indented below is its value. */
const OPENING =
  /^([ \t]{0,100}(?:- )?)(["']?)([\w.$-]{1,64})\2:[ \t]{0,8}([|>][+-]?\d?[+-]?)?[ \t]{0,8}(?:#[^\n]{0,200})?\r?\n/gm;
/** The sign of a block behind other words of a line: `request failed: password: |`. */
const OPENING_BEHIND =
  /(?<=\S[ \t]{1,8})(["']?)([\w.$-]{1,64})\1:[ \t]{1,8}[|>][+-]?\d?[+-]?[ \t]{0,8}\r?\n/g;
/** Of a Secret of Kubernetes: everything below is secret, whatever its name. */
const MANIFEST = /^kind:[ \t]{1,8}["']?Secret["']?[ \t]{0,8}\r?$/m;
const MANIFEST_DATA = /^([ \t]{0,20})(?:data|stringData):[ \t]{0,8}\r?\n/gm;
const MANIFEST_ENTRY = /^["']?[\w.$-]{1,200}["']?:[ \t]{1,8}(?=[^\s|>])/;
/** `password: correct horse battery staple`. */
const PHRASE =
  /^[ \t]{0,100}(?:- )?([\w.$-]{1,64}):[ \t]{1,8}((?:[a-z]{3,20} ){3,9}[a-z]{3,20})[ \t]{0,8}\r?$/gm;
/** Words of sentences. A phrase that somebody chose for a password has none of them. */
const SENTENCE =
  /\b(?:the|and|are|was|were|has|have|had|must|should|may|can|could|will|not|for|from|with|that|this|your|our|you|its|into|than|when|which|who|why|how|please|but|all|any|only|after|before|until|required|used|needs?)\b/;

/** The values of secret names that stand on lines of their own, or are several words. */
export function valuesInBlocks(text: string, secrecyOf: Judge): Value[] {
  const found: Value[] = [];
  for (const { 0: all, 1: lead = "", 3: key = "", 4: sign, index } of text.matchAll(OPENING)) {
    if (secrecyOf(key) !== "yes") continue;
    const lines = linesBelow(text, index + all.length, lead.length);
    found.push(...(sign === undefined ? plainOf(lines, key, secrecyOf) : blockOf(lines)));
  }
  for (const { 0: all, 2: key = "", index } of text.matchAll(OPENING_BEHIND))
    if (secrecyOf(key) === "yes")
      found.push(...blockOf(linesBelow(text, index + all.length, indentOf(text, index) + 1)));
  if (MANIFEST.test(text))
    for (const { 0: all, 1: lead = "", index } of text.matchAll(MANIFEST_DATA))
      found.push(...linesBelow(text, index + all.length, lead.length + 1).map(entryOf));
  for (const { 0: all, 1: key = "", 2: phrase = "", index } of text.matchAll(PHRASE)) {
    if (secrecyOf(key) !== "yes" || SENTENCE.test(phrase) || TYPE.test(phrase)) continue;
    const start = index + all.indexOf(phrase, all.indexOf(":"));
    found.push({ start, end: start + phrase.length, quoted: false });
  }
  return found;
}

/** How far the line that `at` is in is indented. */
function indentOf(text: string, at: number): number {
  const start = text.lastIndexOf("\n", at) + 1;
  let end = start;
  while (text[end] === " " || text[end] === "\t") end += 1;
  return end - start;
}

/** What an entry of a Secret holds; a line of a block is all of it. */
function entryOf({ start, end, word }: Line): Value {
  return { start: start + (MANIFEST_ENTRY.exec(word)?.[0].length ?? 0), end, quoted: false };
}

interface Line extends Value {
  word: string;
  isItem: boolean;
}

/** At most so many lines belong to one value. */
const MAX_LINES = 200;

/** The lines that are indented deeper, and items of a list as deep, each without its indentation. */
function linesBelow(text: string, from: number, indent: number): Line[] {
  const lines: Line[] = [];
  for (let at = from, seen = 0; at < text.length && seen < MAX_LINES; seen++) {
    const newline = text.indexOf("\n", at);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(at, end).trimEnd();
    const [all = "", lead = "", item = ""] = LEAD.exec(line) ?? [];
    const word = line.slice(all.length);
    const isItem = item !== "";
    if (word !== "") {
      if (lead.length < indent || (lead.length === indent && !isItem)) break;
      const start = at + lead.length + item.length;
      lines.push({ start, end: start + word.length, quoted: false, word, isItem });
    }
    at = end + 1;
  }
  return lines;
}

const LEAD = /^([ \t]*)(- {1,4})?/;

/** Everything below the sign of a block is one value. */
function blockOf(lines: readonly Line[]): Value[] {
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined || isPlaceholder(first.word)) return [];
  return [{ start: first.start, end: last.end, quoted: false }];
}

/** One word on the next line, or the items of a list. Names below decide for themselves. */
function plainOf(lines: readonly Line[], key: string, secrecyOf: Judge): Value[] {
  const [first] = lines;
  if (first === undefined) return [];
  const { isItem } = first;
  const until = lines.findIndex((line) => line.isItem !== isItem);
  const own = isItem ? lines.slice(0, until === -1 ? lines.length : until) : [first];
  // A list of secrets is often one of their names.
  const isNames = isItem && /secrets$/i.test(key);
  return own.filter(({ word }) => {
    // Code that was broken after a colon goes on with a comma or the like.
    if (/\s|[:,;({[]$|^[-{[<]/.test(word) || isPlaceholder(word)) return false;
    if (TYPE.test(word) || CONSTANT.test(word)) return false;
    return isNames ? looksRandom(word) : secrecyOf(word) !== "yes";
  });
}
