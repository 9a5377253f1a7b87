import type { Repair, RepairKind } from "@toolrig/json";
import { ANYWHERE, decodeAs, escapeInDoubt, type SchemaHint } from "@toolrig/json/kit";

/** Models escape a document twice now and then, hardly ever more often. */
const MAX_LAYERS = 3;

/** Other ways to write the same value, as Python and JavaScript do, where they are exact. A document that needs more is not certain. */
const NOTATION: ReadonlySet<string> = new Set<RepairKind>([
  "whitespace",
  "byte-order-mark",
  "quote",
  "unquoted-key",
  "number",
  "trailing-comma",
  "control-character",
  "escape",
]);

/** Told about what is inside; nothing is changed for it. */
const NOTES: ReadonlySet<string> = new Set<RepairKind>(["number-text", "near-key", "unknown-key"]);

/** What a string holds, and its text without the layers around it. */
export interface Embedded {
  value: object;
  text: string;
  /** What is to be told about it; paths begin inside it. */
  notes: readonly Repair[];
}

/**
 * The object or array that a string holds as JSON, or as a literal of Python or JavaScript, read with what is known of its
 * place; else undefined.
 */
export function embedded(
  string: string,
  wanted: "object" | "array",
  hint: SchemaHint | undefined,
): Embedded | undefined {
  let text = string.trim();
  for (let layers = 1; isQuoted(text) && layers < MAX_LAYERS; layers++) text = unquoted(text).trim();
  if (!isBracketed(text, wanted) || escapeInDoubt(text) >= 0) return undefined;
  const read = decodeAs(hint ?? ANYWHERE, text);
  // A number that does not fit is text then, which is told to be wrong at its place.
  const decoded = read.ok ? read : decodeAs(ANYWHERE, text);
  if (!decoded.ok || decoded.mode === "partial" || !decoded.repairs.every(isCertain)) return undefined;
  const { value } = decoded;
  if (typeof value !== "object" || value === null || Array.isArray(value) !== (wanted === "array"))
    return undefined;
  return { value, text, notes: decoded.repairs.filter(({ kind }) => NOTES.has(kind)) };
}

const LIST = /^\s*(?:\[\s*(?:["'[{\]\d-]|$)|\(\s*["']|")/;
const OBJECT = /^\s*\{\s*(?:["'}]|$)/;

/**
 * Whether a string is evidently no text but a list that cannot be read with certainty, or the beginning of a list or an
 * object whose end is missing: it is not one element of a list.
 */
export function isBrokenList(text: string): boolean {
  if (isInBrackets(text.trim())) return true;
  const list = LIST.test(text);
  if (!list && !OBJECT.test(text)) return false;
  const decoded = decodeAs(undefined, text);
  if (!decoded.ok) return false;
  return list ? Array.isArray(decoded.value) : decoded.mode === "partial";
}

/** Whether a text may be written for several elements of a list, or for none: `a, b`, `a; b`, lines, nothing, `null`. */
export function mayBeSeveral(text: string): boolean {
  const trimmed = text.trim();
  return trimmed === "" || trimmed.toLowerCase() === "null" || /^[^{(].*[,;\n]/s.test(trimmed);
}

/** Whether the bracket that a text begins with is closed by its last character, or by none: `[a, b]`, `[a`, and not `[a] b`. */
function isInBrackets(text: string): boolean {
  if (!text.startsWith("[")) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "[") depth++;
    else if (text[i] === "]" && --depth === 0) return i === text.length - 1;
  }
  return true;
}

function isBracketed(text: string, wanted: "object" | "array"): boolean {
  const [first, last] = wanted === "array" ? "[]" : "{}";
  return text.at(0) === first && text.at(-1) === last;
}

function isQuoted(text: string): boolean {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"');
}

/** What a JSON string holds; nothing for one that is not valid. */
function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return "";
  }
}

/** Of the literals JSON does not know, only those that mean what JSON can say: `NaN` and the like become null. */
function isCertain({ kind, before, degree }: Repair): boolean {
  if (degree !== "exact" && !NOTES.has(kind)) return false;
  if (kind === "literal") return /^(?:true|false|none)$/i.test(before);
  return NOTATION.has(kind) || NOTES.has(kind);
}
