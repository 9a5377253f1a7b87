import { isRecord } from "@toolrig/core/kit";

/** Nested parts and references that are followed from one to the next. */
const MAX_CHAIN = 2_000;

/**
 * The number of objects of a schema with every reference replaced by its target, as some vendors need it. A reference into a part
 * that is being written out counts once. Stops above `most`, and takes time linear in the schema. Infinity for a chain of references
 * that is too long to follow.
 */
export function writtenOut(schema: unknown, most: number): number {
  const known = new Map<object, number>();
  const count = (part: unknown, depth: number): number => {
    if (typeof part !== "object" || part === null) return 0;
    const counted = known.get(part);
    if (counted !== undefined) return counted;
    if (depth > MAX_CHAIN) return Number.POSITIVE_INFINITY;
    known.set(part, 1);
    let size = 1;
    const target = isRecord(part) ? targetOf(schema, part.$ref) : undefined;
    for (const inner of target === undefined ? Object.values(part) : [...Object.values(part), target]) {
      size += count(inner, depth + 1);
      if (size > most) break;
    }
    known.set(part, size);
    return size;
  };
  // Definitions count where they are used.
  if (!isRecord(schema)) return count(schema, 0);
  const { $defs: _, definitions: __, ...root } = schema;
  return count(root, 0);
}

/** The part that a reference within the schema names. */
function targetOf(schema: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  let at: unknown = schema;
  for (const step of reference.slice(1).split("/").slice(1)) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
