import type { Repair } from "@toolrig/json";
import type { Conversion } from "./convert.ts";

/** How far a coercion is from what was written. Another notation of the same value is near, another shape is far. */
const COST: ReadonlyMap<string, number> = new Map([
  ["json-in-string", 1],
  ["string-to-number", 1],
  ["string-to-null", 1],
  ["enum-choice", 1],
  ["null-to-absent", 1],
  ["number-to-string", 2],
  ["boolean-to-string", 2],
  ["number-to-boolean", 3],
  ["value-to-array", 3],
]);

/** "true" is a boolean in quotes; "1" and "yes" only mean one. */
function costOfOne(kind: string, written: string): number {
  if (kind === "string-to-boolean") return /^\s*"?\s*(?:true|false)/i.test(written) ? 1 : 3;
  return COST.get(kind) ?? 1;
}

export function costOf(repairs: readonly Repair[]): number {
  return repairs.reduce((sum, { kind, before }) => sum + costOfOne(kind, before), 0);
}

/** What a value may stand for, nearest first; of equal ones in their order. */
export function leastFirst(value: unknown, conversions: readonly Conversion[]): readonly Conversion[] {
  if (conversions.length < 2) return conversions;
  const written = typeof value === "string" ? value : "";
  return conversions.toSorted((a, b) => costOfOne(a.kind, written) - costOfOne(b.kind, written));
}
