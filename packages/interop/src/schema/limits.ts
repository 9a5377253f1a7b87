import { isRecord } from "@toolrig/core/kit";
import type { Limits } from "./dialect.ts";

/** Why a vendor would refuse a schema for its size; undefined when it would not. */
export function beyond(schema: unknown, limits: Limits | undefined): string | undefined {
  if (limits === undefined) return undefined;
  const size = { depth: 0, properties: 0, choices: 0, characters: 0 };
  measure(schema, 0, size);
  for (const what of ["depth", "properties", "choices", "characters"] as const)
    if (size[what] > limits[what]) return `${what} ${size[what]}, of at most ${limits[what]}`;
  return undefined;
}

function measure(
  part: unknown,
  depth: number,
  size: Omit<Limits, "longList"> & Record<string, number>,
): void {
  if (Array.isArray(part)) for (const each of part) measure(each, depth, size);
  if (!isRecord(part)) return;
  if (depth > size.depth) Object.assign(size, { depth });
  const add = (more: { properties?: number; choices?: number; characters?: number }) =>
    Object.assign(size, {
      properties: size.properties + (more.properties ?? 0),
      choices: size.choices + (more.choices ?? 0),
      characters: size.characters + (more.characters ?? 0),
    });
  for (const [keyword, value] of Object.entries(part)) {
    if (keyword === "enum" && Array.isArray(value)) {
      const choices = value.map(String);
      add({ choices: choices.length, characters: choices.join("").length });
    } else if ((keyword === "properties" || keyword === "$defs") && isRecord(value)) {
      const names = Object.keys(value);
      add({ properties: keyword === "properties" ? names.length : 0, characters: names.join("").length });
      for (const each of Object.values(value))
        measure(each, keyword === "properties" ? depth + 1 : depth, size);
    } else measure(value, depth, size);
  }
}
