import type { Repair } from "../call/decoded.ts";
import { DEGREE } from "./degree.ts";
import type { SchemaHint } from "./schema-hint.ts";

interface Place {
  value: Record<string, unknown>;
  hint: SchemaHint;
  /** Where it stands: under which key of which place. Paths are spelt out only for what is noted. */
  parent: Place | undefined;
  key: string;
}

/** How many keys are noted. */
const MAX_NOTES = 100;

/**
 * Notes keys that the schema does not know, and which of them are one edit away from a property that is missing. Nothing
 * is renamed: which one was meant is the model's to say. Looks at objects reached through properties, not at elements.
 */
export function strangeKeys(value: unknown, hint: SchemaHint): Repair[] {
  const notes: Repair[] = [];
  if (!isObject(value)) return notes;
  const waiting: Place[] = [{ value, hint, parent: undefined, key: "" }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const known = place.hint.mentioned;
    if (known === undefined || known.size === 0) continue;
    for (const key of Object.keys(place.value)) {
      const inner = place.value[key];
      if (!known.has(key)) {
        const note = notes.length < MAX_NOTES ? strange(place, key, known) : undefined;
        if (note !== undefined) notes.push(note);
      } else if (isObject(inner)) {
        const member = place.hint.member(key);
        if (member !== undefined) waiting.push({ value: inner, hint: member, parent: place, key });
      }
    }
  }
  return notes;
}

function strange(place: Place, key: string, known: ReadonlySet<string>): Repair | undefined {
  const near = nearest(key, known, place.value);
  const open = place.hint.takesOthers;
  if (near !== undefined) {
    const degree = open ? "exact" : DEGREE["near-key"];
    return { kind: "near-key", degree, path: pathOf(place, key), before: key, after: near };
  }
  if (open) return undefined;
  return {
    kind: "unknown-key",
    degree: DEGREE["unknown-key"],
    path: pathOf(place, key),
    before: key,
    after: key,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function pathOf(place: Place, key: string): string {
  let path = `/${escaped(key)}`;
  for (let each = place; each.parent !== undefined; each = each.parent) path = `/${escaped(each.key)}${path}`;
  return path;
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
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
