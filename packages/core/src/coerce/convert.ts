import type { Repair } from "@toolrig/json";
import type { TypeName } from "../schema/normal.ts";

/** A value in another type, and the name of the change. */
export interface Conversion {
  kind: CoercionKind;
  value: unknown;
  /** What is to be told about the value; paths begin inside it. */
  notes?: readonly Repair[];
}

export type CoercionKind =
  | "string-to-number"
  | "string-to-boolean"
  | "string-to-null"
  | "number-to-string"
  | "boolean-to-string"
  | "number-to-boolean"
  | "json-in-string"
  | "value-to-array"
  | "enum-choice"
  | "null-to-absent";

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;
const WHOLE = /^[+-]?\d+$/;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false],
]);

/** The same value as a scalar of the wanted type, where that is certain and nothing is lost; else undefined. */
export function toScalar(value: unknown, type: TypeName): Conversion | undefined {
  if (typeof value === "string") return fromString(value, type);
  if (type === "string") return toText(value);
  if (type === "boolean" && (value === 0 || value === 1))
    return { kind: "number-to-boolean", value: value === 1 };
  return undefined;
}

function fromString(text: string, type: TypeName): Conversion | undefined {
  const trimmed = text.trim();
  if (type === "null")
    return trimmed.toLowerCase() === "null" ? { kind: "string-to-null", value: null } : undefined;
  if (type === "boolean") {
    const value = BOOLEANS.get(trimmed.toLowerCase());
    return value === undefined ? undefined : { kind: "string-to-boolean", value };
  }
  if (type !== "number" && type !== "integer") return undefined;
  if (trimmed.length > 400 || !DECIMAL.test(trimmed)) return undefined;
  const value = Number(trimmed) + 0;
  const exact =
    Number.isSafeInteger(value) || (Number.isFinite(value) && type === "number" && !WHOLE.test(trimmed));
  return exact ? { kind: "string-to-number", value } : undefined;
}

/**
 * A whole number that is too large to be exact has already lost digits when it was parsed, so it is not written out
 * as if it were what the model meant. From 1e21 on it is written with an exponent, which claims no such precision.
 */
function toText(value: unknown): Conversion | undefined {
  if (typeof value === "boolean") return { kind: "boolean-to-string", value: String(value) };
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  const inexact = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
  return inexact ? undefined : { kind: "number-to-string", value: String(value) };
}

/** The one choice of an enum that a scalar evidently means: another case, spaces around it, a number as text. */
export function toChoice(value: unknown, choices: readonly unknown[]): Conversion | undefined {
  if (typeof value === "object" || value === undefined) return undefined;
  const text = String(value).trim();
  const same = choices.filter((choice) => isScalar(choice) && String(choice) === text);
  const alike = choices.filter(
    (choice) => isScalar(choice) && String(choice).toLowerCase() === text.toLowerCase(),
  );
  const [choice] = same.length === 1 ? same : alike.length === 1 ? alike : [];
  return choice === undefined ? undefined : { kind: "enum-choice", value: choice };
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
