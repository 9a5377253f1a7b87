import { canonicalJson } from "../canonical.ts";
import { formats } from "./formats.ts";
import type { SchemaObject, TypeName } from "./normal.ts";
import { matcherFor } from "./pattern.ts";
import { grow, malformed, type Reading } from "./reading.ts";

const TYPES: ReadonlySet<unknown> = new Set<TypeName>([
  "string",
  "number",
  "integer",
  "boolean",
  "null",
  "array",
  "object",
]);
const NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] as const;
const COUNTS = [
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minContains",
  "maxContains",
  "minProperties",
  "maxProperties",
] as const;

type Raw = Readonly<Record<string, unknown>>;

/** `type`, `enum` and `const`, with `nullable` worked into them. */
export function copyValues(reading: Reading, raw: Raw, into: SchemaObject, at: string): void {
  const { type, const: only, enum: choices } = raw;
  if (type !== undefined) {
    const types = Array.isArray(type) ? type : [type];
    if (types.length > 0 && types.every((name) => TYPES.has(name)))
      into.type = [...new Set(types as TypeName[])];
    else malformed(reading, `${at}/type`, `one of ${[...TYPES].join(", ")}, or a list of them`, type);
  }
  if (choices !== undefined) {
    if (Array.isArray(choices) && choices.length > 0) into.enum = choices;
    else malformed(reading, `${at}/enum`, "a list of at least one value", choices);
  }
  if (only !== undefined) into.enum = both(reading, only, into.enum);
  grow(reading, into.enum?.length ?? 0, at);
  if (raw.nullable === true) {
    if (into.type !== undefined && !into.type.includes("null")) into.type.push("null");
    if (into.type !== undefined && into.enum !== undefined && !into.enum.includes(null))
      into.enum = [...into.enum, null];
  }
}

/** `const` beside `enum`: one value, or none, for which there is no code to compile. */
function both(reading: Reading, only: unknown, choices: readonly unknown[] | undefined): unknown[] {
  const text = canonicalJson(only);
  if (choices?.every((choice) => canonicalJson(choice) !== text) !== true) return [only];
  reading.uncompilable = true;
  return [];
}

/** Numeric bounds and counts, with draft-04's boolean `exclusiveMinimum` and `exclusiveMaximum`. */
export function copyLimits(reading: Reading, raw: Raw, into: SchemaObject, at: string): void {
  for (const keyword of NUMBERS) {
    const value = raw[keyword];
    if (value === undefined || typeof value === "boolean") continue;
    if (typeof value === "number" && (keyword !== "multipleOf" || value > 0)) into[keyword] = value;
    else
      malformed(
        reading,
        `${at}/${keyword}`,
        keyword === "multipleOf" ? "a positive number" : "a number",
        value,
      );
  }
  if (raw.exclusiveMinimum === true && into.minimum !== undefined) {
    into.exclusiveMinimum = into.minimum;
    delete into.minimum;
  }
  if (raw.exclusiveMaximum === true && into.maximum !== undefined) {
    into.exclusiveMaximum = into.maximum;
    delete into.maximum;
  }
  for (const keyword of COUNTS) {
    const value = raw[keyword];
    if (value === undefined) continue;
    if (Number.isInteger(value) && (value as number) >= 0) into[keyword] = value as number;
    else malformed(reading, `${at}/${keyword}`, "a whole number of at least 0", value);
  }
  if (raw.uniqueItems === true) into.uniqueItems = true;
}

/** `pattern`, `format`, `required` and the description, and the patterns that are property names. */
export function copyStrings(reading: Reading, raw: Raw, into: SchemaObject, at: string): void {
  const { pattern, format, required, description, patternProperties } = raw;
  if (typeof format === "string" && Object.hasOwn(formats, format)) into.format = format;
  if (typeof pattern === "string") {
    // Generators write a format and its expression side by side: where only the format can be checked, that does.
    if (addPattern(reading, pattern, `${at}/pattern`, into.format !== undefined)) into.pattern = pattern;
  } else if (pattern !== undefined) malformed(reading, `${at}/pattern`, "a regular expression", pattern);
  if (typeof patternProperties === "object" && patternProperties !== null) {
    for (const source of Object.keys(patternProperties))
      addPattern(reading, source, `${at}/patternProperties`, false);
  }
  if (Array.isArray(required) && required.every((name) => typeof name === "string")) {
    const names = new Set(required as string[]);
    into.required = [...names];
    grow(reading, names.size, at);
    for (const name of names) if (name in Object.prototype) reading.uncompilable = true;
  } else if (required !== undefined && typeof required !== "boolean") {
    malformed(reading, `${at}/required`, "a list of property names", required);
  }
  if (typeof description === "string") into.description = description;
}

function addPattern(reading: Reading, source: string, at: string, dispensable: boolean): boolean {
  if (reading.patterns.has(source)) return true;
  try {
    reading.patterns.set(source, matcherFor(source, reading.trusted, at));
    return true;
  } catch (error) {
    if (!dispensable || reading.trusted) throw error;
    return false;
  }
}
