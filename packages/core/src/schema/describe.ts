import { type NormalSchema, type Schema, type SchemaObject, target } from "./normal.ts";
import { typeOf } from "./scalar.ts";

const MAX_CHOICES = 10;
const MAX_DEPTH = 4;
const EXCERPT = 60;

/** What a schema asks for, in a few words a model can act on: `integer from 1 to 50`, `"asc" or "desc"`. */
export function describeSchema(normal: NormalSchema, schema: Schema, depth = 0): string {
  if (typeof schema === "boolean") return schema ? "anything" : "nothing";
  if (schema.enum !== undefined) return describeChoices(schema.enum);
  const own = (schema.type ?? impliedType(schema)).map((type) => describeType(normal, type, schema, depth));
  if (own.length > 0) return orList(own);
  if (depth >= MAX_DEPTH) return "a nested value";
  if (schema.$ref !== undefined) return describeSchema(normal, target(normal, schema.$ref), depth + 1);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) {
    return orList([...new Set(branches.map((part) => describeSchema(normal, part, depth + 1)))]);
  }
  const parts = (schema.allOf ?? []).map((part) => describeSchema(normal, part, depth + 1));
  if (parts.length > 0)
    return [...new Set(parts)].filter((part) => part !== "anything").join(" and ") || "anything";
  if (schema.not !== undefined) return `anything but ${describeSchema(normal, schema.not, depth + 1)}`;
  return "anything";
}

/** The type that a schema's other keywords are about, where it names none. */
function impliedType(schema: SchemaObject): readonly string[] {
  const {
    pattern,
    format,
    minLength,
    maxLength,
    minimum,
    maximum,
    items,
    prefixItems,
    properties,
    required,
  } = schema;
  if (pattern !== undefined || format !== undefined || minLength !== undefined || maxLength !== undefined)
    return ["string"];
  if (minimum !== undefined || maximum !== undefined || schema.multipleOf !== undefined) return ["number"];
  if (items !== undefined || prefixItems !== undefined) return ["array"];
  return properties !== undefined || required !== undefined ? ["object"] : [];
}

function describeType(normal: NormalSchema, type: string, schema: SchemaObject, depth: number): string {
  if (type === "number" || type === "integer") return [type, ...numberBounds(schema)].join(" ");
  if (type === "string") return [type, ...stringBounds(schema)].join(" ");
  if (type === "array") {
    const size = range(schema.minItems, schema.maxItems, "item");
    const of =
      schema.items === undefined || depth >= MAX_DEPTH
        ? ""
        : ` of ${describeSchema(normal, schema.items, depth + 1)}`;
    return `array${of === " of anything" ? "" : of}${size === "" ? "" : ` (${size})`}${schema.uniqueItems ? " without duplicates" : ""}`;
  }
  if (type === "object") {
    const names = Object.keys(schema.properties ?? {});
    return names.length === 0 ? "object" : `object with ${shortList(names, 6)}`;
  }
  return type;
}

function numberBounds({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
  format,
}: SchemaObject): string[] {
  const bounds: string[] = [];
  if (minimum !== undefined && maximum !== undefined) bounds.push(`from ${minimum} to ${maximum}`);
  else if (minimum !== undefined) bounds.push(`≥ ${minimum}`);
  else if (maximum !== undefined) bounds.push(`≤ ${maximum}`);
  if (exclusiveMinimum !== undefined) bounds.push(`> ${exclusiveMinimum}`);
  if (exclusiveMaximum !== undefined) bounds.push(`< ${exclusiveMaximum}`);
  if (multipleOf !== undefined) bounds.push(`that is a multiple of ${multipleOf}`);
  if (format !== undefined) bounds.push(`(${format})`);
  return bounds;
}

function stringBounds({ minLength, maxLength, pattern, format }: SchemaObject): string[] {
  const bounds: string[] = [];
  const size = range(minLength, maxLength, "character");
  if (size !== "") bounds.push(`of ${size}`);
  if (format !== undefined) bounds.push(`in ${format} format`);
  if (pattern !== undefined) bounds.push(`matching /${shorten(pattern, 80)}/`);
  return bounds;
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  const units = (most ?? least) === 1 ? unit : `${unit}s`;
  if (least !== undefined && most !== undefined)
    return least === most ? `${least} ${units}` : `${least} to ${most} ${units}`;
  if (least !== undefined) return `at least ${least} ${units}`;
  return most === undefined ? "" : `at most ${most} ${units}`;
}

function describeChoices(choices: readonly unknown[]): string {
  if (choices.length === 0) return "nothing";
  const shown = choices.slice(0, MAX_CHOICES).map((choice) => shorten(JSON.stringify(choice) ?? "", EXCERPT));
  if (choices.length > MAX_CHOICES) return `one of ${shown.join(", ")}, ... (${choices.length} choices)`;
  return orList(shown);
}

/** What came instead, shortened: `string "abc"`, `array of 3 items`. */
export function describeValue(value: unknown): string {
  const type = typeOf(value);
  if (type === "null") return "null";
  if (Array.isArray(value)) return `array of ${value.length} ${value.length === 1 ? "item" : "items"}`;
  if (type === "object") {
    const names = Object.keys(value as object);
    return names.length === 0 ? "empty object" : `object with ${shortList(names, 6)}`;
  }
  if (type === undefined) return value === undefined ? "nothing" : `${typeof value}`;
  return `${type} ${shorten(JSON.stringify(value), EXCERPT)}`;
}

export function shortList(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).map((name) => shorten(name, 40));
  return names.length > most ? `${shown.join(", ")}, ... (${names.length} in all)` : shown.join(", ");
}

export function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 3)}...` : text;
}

function orList(parts: readonly string[]): string {
  if (parts.length > MAX_CHOICES) return `${parts.slice(0, MAX_CHOICES).join(", ")}, ...`;
  return parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`;
}
