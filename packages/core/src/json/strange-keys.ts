import type { Repair } from "../call/decoded.ts";
import { DEGREE } from "./degree.ts";
import { ANY_NUMBER, ANY_STRING, type SchemaHint } from "./schema-hint.ts";

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

/**
 * Looks through a value once. Nothing is renamed: which property a key was meant to be is the model's to say. Costs an
 * ordinary flat value no allocation.
 */
export function survey(value: unknown, hint: SchemaHint): Survey {
  if (!isContainer(value) || isBlank(value)) return NOTHING;
  let found: Survey | undefined;
  let waiting: Place[] | undefined;
  let place: Place | undefined = { value, hint, parent: undefined, key: "" };
  while (place !== undefined) {
    if (Array.isArray(place.value)) {
      waiting = listed(place, place.value, waiting);
      if (place.value.some((item) => typeof item === "number" && isOdd(item, place?.hint.item(0)))) {
        found ??= { notes: [], hasOddNumbers: false };
        found.hasOddNumbers = true;
      }
      place = waiting?.pop();
      continue;
    }
    const known = place.hint.mentioned;
    for (const key in place.value) {
      const inner = (place.value as Record<string, unknown>)[key];
      if (known.size > 0 && !known.has(key)) {
        found ??= { notes: [], hasOddNumbers: false };
        const note = found.notes.length < MAX_NOTES ? strange(place, key, known) : undefined;
        if (note !== undefined) found.notes.push(note);
      } else if (typeof inner === "number") {
        if (!isOdd(inner, place.hint.member(key))) continue;
        found ??= { notes: [], hasOddNumbers: false };
        found.hasOddNumbers = true;
      } else if (typeof inner === "object" && inner !== null) {
        const part = place.hint.member(key);
        if (part === undefined) continue;
        waiting ??= [];
        waiting.push({ value: inner, hint: part, parent: place, key });
      }
    }
    place = waiting?.pop();
  }
  return found ?? NOTHING;
}

function isBlank(value: object): boolean {
  for (const _key in value) return false;
  return true;
}

/** The elements of a list that are to be looked at, added to what waits. */
function listed(place: Place, list: readonly unknown[], waiting: Place[] | undefined): Place[] | undefined {
  let all = waiting;
  for (const [index, inner] of list.entries()) {
    if (!isContainer(inner)) continue;
    const hint = place.hint.item(index);
    if (hint === undefined) continue;
    all ??= [];
    all.push({ value: inner, hint, parent: place, key: String(index) });
  }
  return all;
}

/** A small whole number where numbers are wanted is what it says; any other may have had other digits. */
function isOdd(value: number, hint: SchemaHint | undefined): boolean {
  if (!Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value))) return true;
  return hint?.allows(ANY_STRING) === true && !hint.allows(ANY_NUMBER);
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
