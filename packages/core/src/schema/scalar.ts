import { isMultiple } from "./decimal.ts";
import { formats } from "./formats.ts";
import type { SchemaObject, TypeName } from "./normal.ts";

export function typeOf(value: unknown): TypeName | undefined {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  if (type === "string" || type === "boolean" || type === "object") return type;
  return type === "number" && Number.isFinite(value) ? "number" : undefined;
}

export function hasType(value: unknown, types: readonly TypeName[]): boolean {
  const type = typeOf(value);
  if (type === undefined) return false;
  return types.includes(type) || (type === "number" && types.includes("integer") && Number.isInteger(value));
}

/** The keywords of `schema` about strings that `value` does not satisfy, patterns aside. */
export function stringProblems(schema: SchemaObject, value: string): (keyof SchemaObject)[] {
  const problems: (keyof SchemaObject)[] = [];
  const { minLength, maxLength, format } = schema;
  if (minLength !== undefined || maxLength !== undefined) {
    const length = lengthOf(value);
    if (minLength !== undefined && length < minLength) problems.push("minLength");
    if (maxLength !== undefined && length > maxLength) problems.push("maxLength");
  }
  if (format !== undefined && !hasFormat(format, value)) problems.push("format");
  return problems;
}

/** The keywords of `schema` about numbers that `value` does not satisfy. */
export function numberProblems(schema: SchemaObject, value: number): (keyof SchemaObject)[] {
  const problems: (keyof SchemaObject)[] = [];
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema;
  if (minimum !== undefined && value < minimum) problems.push("minimum");
  if (maximum !== undefined && value > maximum) problems.push("maximum");
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) problems.push("exclusiveMinimum");
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) problems.push("exclusiveMaximum");
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) problems.push("multipleOf");
  if (format !== undefined && !hasFormat(format, value)) problems.push("format");
  return problems;
}

/** Characters as JSON Schema counts them: code points. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i + 1 < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      length--;
      i++;
    }
  }
  return length;
}

function hasFormat(name: string, value: string | number): boolean {
  const format = (formats as Record<string, unknown>)[name];
  if (format instanceof RegExp) {
    format.lastIndex = 0;
    return typeof value !== "string" || format.test(value);
  }
  if (typeof format === "function") return typeof value !== "string" || format(value) === true;
  if (typeof format !== "object" || format === null) return true;
  const { type, validate } = format as { type?: string; validate: unknown };
  if (typeof value !== (type ?? "string")) return true;
  if (validate instanceof RegExp) return validate.test(value as string);
  return typeof validate === "function" ? validate(value) === true : true;
}

/** Whether a property is really there: not inherited, and not undefined, which JSON cannot say. */
export function has(value: object, name: string): boolean {
  return Object.hasOwn(value, name) && (value as Record<string, unknown>)[name] !== undefined;
}
