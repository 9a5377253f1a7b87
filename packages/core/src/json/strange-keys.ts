import type { Repair } from "../call/decoded.ts";
import { DEGREE } from "./degree.ts";
import type { SchemaHint } from "./schema-hint.ts";

interface Place {
  value: object;
  hint: SchemaHint;
  /** Where it stands: under which key of which place. Paths are spelt out only for what is noted. */
  parent: Place | undefined;
  key: string;
}

/** How many keys are noted. */
const MAX_NOTES = 100;

/**
 * Notes keys that the schema does not know, and which of them are one edit away from a property that is missing. Nothing
 * is renamed: which one was meant is the model's to say.
 */
export function strangeKeys(value: unknown, hint: SchemaHint): Repair[] {
  const notes: Repair[] = [];
  if (!isContainer(value)) return notes;
  const waiting: Place[] = [{ value, hint, parent: undefined, key: "" }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const known = Array.isArray(place.value) ? NONE : place.hint.mentioned;
    for (const [key, inner] of Object.entries(place.value)) {
      if (known.size > 0 && !known.has(key)) {
        const note = notes.length < MAX_NOTES ? strange(place, key, known) : undefined;
        if (note !== undefined) notes.push(note);
      } else if (isContainer(inner)) {
        const part = Array.isArray(place.value) ? place.hint.item(Number(key)) : place.hint.member(key);
        if (part !== undefined) waiting.push({ value: inner, hint: part, parent: place, key });
      }
    }
  }
  return notes;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Whether a string holds what looks like the beginning of another property that the schema names: the slip was in that
 * one, and the string ended before it.
 */
export function swallowsKey(value: unknown, hint: SchemaHint): boolean {
  if (!isContainer(value) || hint.mentioned.size === 0) return false;
  const names = [...hint.mentioned].map((name) => name.replace(/[^\w]/g, "\\$&")).join("|");
  const begins = new RegExp(`["'\u0060]\\s*,\\s*["'\u0060]?(?:${names})\\b`);
  return Object.values(value).some((inner) => typeof inner === "string" && begins.test(inner));
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

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
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

/** A name without what tells `dryRun`, `dry_run` and `dry-run` apart. */
function spelling(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

/** One character inserted, removed or replaced, or two neighbours swapped, or only case and the marks between words differing. */
function isOneEdit(a: string, b: string): boolean {
  if (spelling(a) === spelling(b)) return true;
  if (Math.abs(a.length - b.length) > 1) return false;
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  if (a.length > b.length) return a.slice(i + 1) === b.slice(i);
  if (a.length < b.length) return a.slice(i) === b.slice(i + 1);
  if (a.slice(i + 1) === b.slice(i + 1)) return true;
  return a[i] === b[i + 1] && a[i + 1] === b[i] && a.slice(i + 2) === b.slice(i + 2);
}
