import { isRecord } from "@toolrig/core/kit";

/** Characters of a part without those of the parts in it, about as they are written. */
export function writtenLength(part: Record<string, unknown>): number {
  let length = 20;
  for (const [keyword, value] of Object.entries(part)) {
    length += keyword.length + 6;
    if (typeof value === "string") length += value.length;
    else if (keyword === "enum" || keyword === "const") length += JSON.stringify(value)?.length ?? 0;
    else if (keyword === "required" && Array.isArray(value)) length += value.join().length + 3 * value.length;
    else if (keyword === "properties" && isRecord(value)) for (const name in value) length += name.length + 6;
  }
  return length;
}

/** Characters of a whole schema, about as it is written. A schema may be nested too deeply for a function that calls itself. */
export function wholeLength(schema: unknown): number {
  let length = 0;
  const open: unknown[] = [schema];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (typeof part !== "object" || part === null) continue;
    if (isRecord(part)) length += writtenLength(part);
    for (const inner of Object.values(part)) if (typeof inner === "object") open.push(inner);
  }
  return length;
}
