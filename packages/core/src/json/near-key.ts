import type { Repair } from "./repair.ts";
import type { SchemaHint } from "./schema-hint.ts";

/**
 * Notes keys that the schema does not know but that are one edit away from a property that is missing. Nothing is
 * renamed: which one was meant is the model's to say. Looks at objects reached through properties, not at elements.
 */
export function nearKeys(value: unknown, hint: SchemaHint): Repair[] {
  const notes: Repair[] = [];
  const waiting: { value: unknown; hint: SchemaHint | undefined; path: string }[] = [
    { value, hint, path: "" },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const known = next.hint?.properties() ?? [];
    if (
      known.length === 0 ||
      typeof next.value !== "object" ||
      next.value === null ||
      Array.isArray(next.value)
    )
      continue;
    const object = next.value as Record<string, unknown>;
    const names = new Set(known);
    const missing = known.filter((name) => !Object.hasOwn(object, name));
    for (const key of Object.keys(object)) {
      const path = `${next.path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const near = names.has(key) ? undefined : missing.find((name) => isOneEdit(key, name));
      if (near !== undefined) notes.push({ kind: "near-key", path, before: key, after: near });
      if (names.has(key)) waiting.push({ value: object[key], hint: next.hint?.member(key), path });
    }
  }
  return notes;
}

/** One character inserted, removed or replaced, or two neighbours swapped, or only upper and lower case differing. */
function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  if (a.toLowerCase() === b.toLowerCase()) return true;
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  if (a.length > b.length) return a.slice(i + 1) === b.slice(i);
  if (a.length < b.length) return a.slice(i) === b.slice(i + 1);
  if (a.slice(i + 1) === b.slice(i + 1)) return true;
  return a[i] === b[i + 1] && a[i + 1] === b[i] && a.slice(i + 2) === b.slice(i + 2);
}
