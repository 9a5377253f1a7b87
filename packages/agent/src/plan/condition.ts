import { canonicalJson } from "@toolrig/core/kit";
import type { Condition } from "./plan.ts";
import { fill, find, isReference, type Scope } from "./reference.ts";

/** Whether a step's condition holds. A reference that leads nowhere counts as absent. */
export function holds(condition: Condition, scope: Scope): boolean {
  const value = isReference(condition.value) ? find(condition.value, scope) : fill(condition.value, scope);
  const { equals, notEquals, exists, above, below } = condition;
  if (exists !== undefined && (value !== undefined && value !== null) !== exists) return false;
  if (equals !== undefined && !same(value, equals)) return false;
  if (notEquals !== undefined && same(value, notEquals)) return false;
  if (condition.in !== undefined && !condition.in.some((each) => same(value, each))) return false;
  if (above !== undefined && !(typeof value === "number" && value > above)) return false;
  if (below !== undefined && !(typeof value === "number" && value < below)) return false;
  return true;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && canonicalJson(a) === canonicalJson(b));
}
