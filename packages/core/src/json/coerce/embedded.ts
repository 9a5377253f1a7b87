import type { Repair } from "../../call/decoded.ts";
import { decode } from "../decode.ts";
import type { RepairKind } from "../repair-kinds.ts";

/** Models escape a document twice now and then, hardly ever more often. */
const MAX_LAYERS = 3;

/** Other ways to write the same value, as Python and JavaScript do. A document that needs more is not certain. */
const NOTATION: ReadonlySet<string> = new Set<RepairKind>([
  "whitespace",
  "byte-order-mark",
  "quote",
  "unquoted-key",
  "literal",
  "number",
  "trailing-comma",
  "control-character",
  "escape",
]);

const HUGE_EXPONENT = /\d[eE]\+?\d{3}/;

/** The object or array that a string holds as JSON, or as a literal of Python or JavaScript; else undefined. */
export function embedded(text: string, wanted: "object" | "array"): object | undefined {
  let value: unknown = text;
  for (let layers = 0; typeof value === "string" && layers < MAX_LAYERS; layers++)
    value = parse(value.trim());
  if (typeof value !== "object" || value === null) return undefined;
  return Array.isArray(value) === (wanted === "array") ? value : undefined;
}

function parse(text: string): unknown {
  const ends = `${text.at(0)}${text.at(-1)}`;
  if (ends !== "{}" && ends !== "[]" && ends !== '""') return undefined;
  try {
    return JSON.parse(text, HUGE_EXPONENT.test(text) ? refuseInfinity : undefined);
  } catch {
    if (ends === '""') return undefined;
  }
  const decoded = decode(text);
  return decoded.ok && decoded.mode === "repaired" && decoded.repairs.every(isNotation)
    ? decoded.value
    : undefined;
}

/** Of the literals JSON does not know, only those that mean what JSON can say: `NaN` and the like become null. */
function isNotation({ kind, before }: Repair): boolean {
  return NOTATION.has(kind) && (kind !== "literal" || /^(?:true|false|none)$/i.test(before));
}

/** JSON has no infinite numbers, but its grammar lets one be written. */
function refuseInfinity(_key: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    throw new RangeError("not a number");
  return value;
}
