import { isPlainObject, isRecord } from "../is-record.ts";

/**
 * The parts of edited arguments that a schema may have transformed. Who edits them was shown them as the tool gets them, and cannot
 * know how the model wrote them. So what an edit leaves as it was goes through the schema as it first did, and what it
 * changes is what the tool gets. Only a part that was not shown, or is of another type than the one that was, is read as
 * the model would have written it, and transformed.
 */

/**
 * What the schema is to validate. Parts that are as they were shown are as they were given; so are those of a type that
 * only the schema makes, which it could not read.
 */
export function asGiven(edited: unknown, shown: unknown, given: unknown): unknown {
  if (Array.isArray(edited) && Array.isArray(shown) && Array.isArray(given)) {
    return edited.map((part, i) => (i < shown.length ? asGiven(part, shown[i], given[i]) : part));
  }
  if (isPlainObject(edited) && isPlainObject(shown) && isPlainObject(given)) {
    return mapped(edited, (part, key) =>
      Object.hasOwn(shown, key) ? asGiven(part, shown[key], given[key]) : part,
    );
  }
  if (isSame(edited, shown)) return given;
  const isMade = given !== undefined && kindOf(edited) === kindOf(shown) && kindOf(shown) !== kindOf(given);
  return isMade ? given : edited;
}

/** What the tool gets, of what the schema made: changed parts of the type that was shown are as they were changed. */
export function asEdited(edited: unknown, shown: unknown, made: unknown): unknown {
  if (Array.isArray(edited) && Array.isArray(shown) && Array.isArray(made)) {
    return made.map((part, i) => (i < shown.length ? asEdited(edited[i], shown[i], part) : part));
  }
  if (isPlainObject(edited) && isPlainObject(shown) && isPlainObject(made)) {
    return mapped(made, (part, key) =>
      Object.hasOwn(edited, key) && Object.hasOwn(shown, key)
        ? asEdited(edited[key], shown[key], part)
        : part,
    );
  }
  return !isSame(edited, shown) && kindOf(edited) === kindOf(shown) ? edited : made;
}

function mapped(
  record: Record<string, unknown>,
  each: (part: unknown, key: string) => unknown,
): Record<string, unknown> {
  const parts = Object.entries(record).map(([key, part]) => [key, each(part, key)] as const);
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined));
}

/** Also for what became text on its way to whoever edited it, such as a date. */
function isSame(one: unknown, other: unknown): boolean {
  return Object.is(one, other) || Object.is(written(one), written(other));
}

function written(value: unknown): unknown {
  return isRecord(value) && typeof value.toJSON === "function" ? value.toJSON() : value;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return isPlainObject(value) ? "record" : typeof value;
}
