import { DEGREE } from "./degree.ts";
import type { Repair } from "./repair.ts";
import { ANYWHERE, type SchemaHint } from "./schema-hint.ts";

interface Place {
  value: object;
  hint: SchemaHint;
  /** Where it stands: under which key of which place. Paths are spelt out only for what is noted. */
  parent: Place | undefined;
  key: string;
}

/** How many keys are noted. */
const MAX_NOTES = 100;

/** What is odd about a value that the schema knows the shape of. */
export interface Survey {
  /** Keys that the schema does not know, and which of them are nearly those of a property that is missing. */
  notes: Repair[];
  /** There is a number of which something may have been lost, or that stands where text is wanted. */
  hasOddNumbers: boolean;
}

/** Nothing is odd. */
export const NOTHING: Survey = Object.freeze({ notes: Object.freeze([]) as never, hasOddNumbers: false });

/** Looks through a value. Nothing is renamed: which property a key was meant to be is the model's to say. */
export function survey(value: unknown, hint: SchemaHint): Survey {
  return isOrdinary(value, hint, 0) ? NOTHING : inspect(value, hint);
}

/** How deep a value is looked through without keeping places. */
const QUICK_DEPTH = 64;

/** Whether nothing is odd, as is usual: seen without allocating anything. False proves nothing. */
function isOrdinary(value: unknown, hint: SchemaHint | undefined, depth: number): boolean {
  if (typeof value === "number") return !isOdd(value, hint);
  if (!isContainer(value)) return true;
  return isOrdinaryContainer(value, hint ?? ANYWHERE, depth);
}

function isOrdinaryContainer(value: object, hint: SchemaHint, depth: number): boolean {
  if (depth > QUICK_DEPTH) return false;
  return Array.isArray(value) ? isOrdinaryList(value, hint, depth) : isOrdinaryObject(value, hint, depth);
}

function isOrdinaryList(list: readonly unknown[], hint: SchemaHint, depth: number): boolean {
  for (let index = 0; index < list.length; index++) {
    const inner = list[index];
    if (typeof inner === "string") continue;
    if (typeof inner === "number") {
      if (isOdd(inner, hint.item(index))) return false;
    } else if (typeof inner === "object" && inner !== null) {
      if (!isOrdinaryContainer(inner, hint.item(index) ?? ANYWHERE, depth + 1)) return false;
    }
  }
  return true;
}

/** Models mostly write properties in the order of the schema, so that the next name is tried before the map is asked. */
function isOrdinaryObject(object: object, hint: SchemaHint, depth: number): boolean {
  const { names, hints, places } = hint.listing;
  if (names.length === 0) return isOrdinaryOpen(object, hint, depth);
  let place = 0;
  for (const key in object) {
    if (names[place] !== key) {
      place = places.get(key) ?? -1;
      if (place < 0) return false;
    }
    const inner = (object as Record<string, unknown>)[key];
    if (typeof inner === "number") {
      if (isOdd(inner, hints[place])) return false;
    } else if (typeof inner === "object" && inner !== null) {
      if (!isOrdinaryContainer(inner, hints[place] ?? ANYWHERE, depth + 1)) return false;
    }
    place++;
  }
  return true;
}

/** Where the schema names no properties, every key is as good as any other. */
function isOrdinaryOpen(object: object, hint: SchemaHint, depth: number): boolean {
  for (const key in object) {
    if (!isOrdinary((object as Record<string, unknown>)[key], hint.member(key), depth + 1)) return false;
  }
  return true;
}

function inspect(root: unknown, hint: SchemaHint): Survey {
  const found: Survey = { notes: [], hasOddNumbers: false };
  const waiting: Place[] = [];
  // What a program gives may lead back into itself.
  const seen = new Set<object>();
  const look = (value: unknown, part: SchemaHint | undefined, parent: Place | undefined, key: string) => {
    if (typeof value === "number") found.hasOddNumbers ||= isOdd(value, part);
    else if (isContainer(value) && !seen.has(value)) {
      seen.add(value);
      waiting.push({ value, hint: part ?? ANYWHERE, parent, key });
    }
  };
  look(root, hint, undefined, "");
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const known = place.hint.mentioned;
    for (const [key, inner] of Object.entries(place.value)) {
      const isList = Array.isArray(place.value);
      look(inner, isList ? place.hint.item(Number(key)) : place.hint.member(key), place, key);
      if (isList || known.size === 0 || known.has(key)) continue;
      if (found.notes.length < MAX_NOTES) found.notes.push(...strange(place, key, known));
    }
  }
  return found;
}

/** A small whole number where numbers are wanted is what it says; any other may have had other digits. */
function isOdd(value: number, hint: SchemaHint | undefined): boolean {
  // The usual number first.
  if ((value | 0) === value) return hint?.wantsText === true;
  if (!Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value))) return true;
  return hint?.wantsText === true;
}

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

function strange(place: Place, key: string, known: ReadonlySet<string>): Repair[] {
  const near = nearest(key, known, place.value);
  const open = place.hint.takesOthers;
  if (near !== undefined) {
    const degree = open ? "exact" : DEGREE["near-key"];
    return [{ kind: "near-key", degree, path: pathOf(place, key), before: key, after: near }];
  }
  if (open) return [];
  const degree = DEGREE["unknown-key"];
  return [{ kind: "unknown-key", degree, path: pathOf(place, key), before: key, after: key }];
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
