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
    const known = next.hint?.mentioned;
    if (known === undefined || known.size === 0 || !isObject(next.value)) continue;
    for (const [key, inner] of Object.entries(next.value)) {
      if (!known.has(key)) {
        const near = nearest(key, known, next.value);
        if (near !== undefined)
          notes.push({ kind: "near-key", path: childPath(next.path, key), before: key, after: near });
      } else if (isObject(inner)) {
        waiting.push({ value: inner, hint: next.hint!.member(key), path: childPath(next.path, key) });
      }
    }
  }
  return notes;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function childPath(path: string, key: string): string {
  return `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function nearest(key: string, known: ReadonlySet<string>, object: object): string | undefined {
  for (const name of known) if (!Object.hasOwn(object, name) && isOneEdit(key, name)) return name;
  return undefined;
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
