import { APOSTROPHE, BACKTICK, QUOTE } from "./characters.ts";
import type { Degree } from "./repair.ts";
import type { RepairKind } from "./repair-kinds.ts";

/** What each kind of repair does to what the model wrote, where its place does not say otherwise. */
export const DEGREE: Readonly<Record<RepairKind, Degree>> = {
  "byte-order-mark": "exact",
  whitespace: "exact",
  "surrounding-text": "exact",
  fence: "exact",
  comment: "exact",
  "control-character": "exact",
  "trailing-comma": "exact",
  "extra-comma": "guess",
  "missing-comma": "exact",
  "missing-colon": "exact",
  "missing-value": "guess",
  quote: "exact",
  "unescaped-quote": "exact",
  "missing-quote": "guess",
  "unquoted-key": "exact",
  "unquoted-value": "exact",
  literal: "exact",
  number: "exact",
  "number-text": "exact",
  escape: "exact",
  concatenation: "guess",
  ellipsis: "lossy",
  call: "guess",
  tuple: "exact",
  "missing-opener": "guess",
  "missing-closer": "guess",
  "wrong-closer": "guess",
  "extra-closer": "exact",
  "early-closer": "guess",
  "extra-opener": "guess",
  "unexpected-text": "lossy",
  "escaped-document": "exact",
  "double-encoded": "exact",
  "several-documents": "lossy",
  "missing-brackets": "guess",
  empty: "exact",
  "duplicate-key": "lossy",
  "near-key": "guess",
  "unknown-key": "exact",
  truncated: "lossy",
  unclosed: "lossy",
  unlisted: "exact",
};

/**
 * Repairs that say nothing about where strings end. Any other one beside a quote that was taken for content shows that
 * the string may have been cut in the wrong place: what looks like a slip of the document is then part of the text.
 */
const INNOCENT: ReadonlySet<string> = new Set<RepairKind>([
  "byte-order-mark",
  "whitespace",
  "fence",
  "control-character",
  "quote",
  "unescaped-quote",
  "number-text",
  "escape",
  "double-encoded",
]);

export function isInnocent(kind: string): boolean {
  return INNOCENT.has(kind);
}

/**
 * An unquoted value of one word has one reading. Where spaces or commas are part of it, its end was chosen; a variable, an element, a
 * call or a negation may stand for its value.
 */
export function degreeOfWord(word: string): Degree {
  return /[\s,()[\]]|^[$!~]\{?[A-Za-z_]|^%\w+%/.test(word) ? "guess" : "exact";
}

/** A template that names variables may stand for the text with their values. */
export function degreeOfTemplate(content: string): Degree {
  return content.includes("${") ? "guess" : "exact";
}

/** `000` right behind the comma of a list may be the end of `1,000`. */
export function degreeOfElement(word: string): Degree {
  return /^\d{3}(?:\.\d+)?$/.test(word) ? "guess" : "exact";
}

/** `1,000` may have a decimal comma, and `010` may be octal. */
export function degreeOfNumber(word: string, value: number): Degree {
  if (/^[+-]?\d{1,3},\d{3}$/.test(word)) return "guess";
  return /^[+-]?0[0-7]+$/.test(word) && Number.parseInt(word, 8) !== value ? "guess" : "exact";
}

/** Words that JSON can say in its own way lose nothing; `NaN` and the like become null. */
export function degreeOfLiteral(word: string): Degree {
  return /^(?:true|false|null|none|nil)$/i.test(word) ? "exact" : "guess";
}

/** A comment that holds a quote may be the rest of a text that was taken to end before it. */
export function degreeOfComment(codes: Uint8Array, from: number, to: number): Degree {
  for (let index = from; index < to; index++) {
    const code = codes[index];
    if (code === QUOTE || code === APOSTROPHE || code === BACKTICK) return "lossy";
  }
  return "exact";
}

/** Prose before a document is no part of it, unless it holds something that could be the document, or its beginning. */
export function degreeOfPreface(text: string): Degree {
  if (/[{}[\]]/.test(text)) return "lossy";
  return text.includes('"') ? "guess" : "exact";
}

/** Behind a document only what wraps it is no part of it: closing tags and special tokens. */
export function degreeOfRest(text: string): Degree {
  if (/[{}[\]"]/.test(text)) return "lossy";
  return /^(?:\s|<\/?[\w:|-]{1,64}>|<\|[^<>|]{1,64}\|>|`{3,})*$/.test(text) ? "exact" : "guess";
}
