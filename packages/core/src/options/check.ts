import type { ErrorCode } from "../failure/codes.ts";
import { ToolrigError } from "../failure/failure.ts";
import { nearestNames } from "../nearest.ts";
import { type Duration, isDuration, MAX_TIMER_MS, parseDuration } from "./duration.ts";

/** Where a wrong value was given, for the error. */
export interface CheckedThing {
  /** Default `OPTION_INVALID`. */
  code?: ErrorCode;
  /** Put before the field, such as `Tool "greet": `. */
  where?: string;
  details?: Readonly<Record<string, unknown>>;
}

/**
 * Checks of what a programmer gave. Each passes the value on, or throws a `ToolrigError` that says what was expected and
 * what came. An option that may be left out is undefined then and passes.
 */
export interface Checks {
  /** For what only the caller can tell. */
  invalid(field: string, expected: string, received: unknown): ToolrigError;
  string(field: string, value: unknown): void;
  function(field: string, value: unknown): void;
  object(field: string, value: unknown, expected?: string): void;
  flag(field: string, value: boolean | undefined): void;
  oneOf(field: string, value: unknown, choices: readonly string[]): void;
  /** A whole number of at least `least`, which is 1 unless said otherwise. */
  count<Value extends number | undefined>(field: string, value: Value, least?: number): Value;
  /** As `count`, and Infinity for no limit. */
  limit<Value extends number | undefined>(field: string, value: Value, least?: number): Value;
  /** Milliseconds of a duration that a timer can hold. */
  timeout(field: string, value: Duration): number;
  timeout(field: string, value: Duration | undefined): number | undefined;
  /** No setting but these. A misspelt one would be silently without effect. What is no plain object is not looked into. */
  known(what: string, given: object, fields: readonly string[]): void;
}

/** Names every setting of a kind of options, so that one that is added and not listed does not compile. */
export function settingsOf<Options>(
  all: { readonly [Setting in keyof Required<Options>]: true },
): readonly string[] {
  return Object.keys(all);
}

export function checksFor({ code = "OPTION_INVALID", where = "", details }: CheckedThing = {}): Checks {
  const invalid = (field: string, expected: string, received: unknown) =>
    new ToolrigError(
      code,
      `${where}${field} must be ${expected}; got ${shown(received)}.`,
      details === undefined ? undefined : { details: { ...details, field } },
    );
  const isCount = (value: number, least: number) => Number.isInteger(value) && value >= least;
  const wholeNumber = (least: number) => `a whole number of at least ${least}`;

  function timeout(field: string, value: Duration): number;
  function timeout(field: string, value: Duration | undefined): number | undefined;
  function timeout(field: string, value: Duration | undefined): number | undefined {
    if (value === undefined) return undefined;
    const ms = isDuration(value) ? parseDuration(value, field) : Number.NaN;
    if (ms > 0 && ms <= MAX_TIMER_MS) return ms;
    throw invalid(field, 'a duration above 0 and up to 24 days, such as 500 or "10s"', value);
  }

  return {
    invalid,
    string(field, value) {
      if (typeof value !== "string" || value.trim() === "") throw invalid(field, "a non-empty string", value);
    },
    function(field, value) {
      if (typeof value !== "function") throw invalid(field, "a function", value);
    },
    object(field, value, expected = "an object") {
      if (typeof value !== "object" || value === null || Array.isArray(value))
        throw invalid(field, expected, value);
    },
    flag(field, value) {
      if (value !== undefined && typeof value !== "boolean") throw invalid(field, "true or false", value);
    },
    oneOf(field, value, choices) {
      if (value !== undefined && !choices.includes(value as string))
        throw invalid(field, choices.map((choice) => `"${choice}"`).join(" or "), value);
    },
    count(field, value, least = 1) {
      if (value !== undefined && !isCount(value, least)) throw invalid(field, wholeNumber(least), value);
      return value;
    },
    limit(field, value, least = 0) {
      if (value !== undefined && value !== Number.POSITIVE_INFINITY && !isCount(value, least))
        throw invalid(field, wholeNumber(least), value);
      return value;
    },
    timeout,
    known(what, given, fields) {
      if (!isPlain(given)) return;
      const unknown = Object.keys(given).find((field) => !fields.includes(field));
      if (unknown === undefined) return;
      const near = nearestNames(unknown, fields, 1).map((name) => ` Did you mean "${name}"?`);
      const message = `${where}${what} has no setting "${unknown}".${near.join("")} There is: ${fields.join(", ")}.`;
      throw new ToolrigError(code, message, details === undefined ? undefined : { details });
    },
  };
}

/** Checks of options. */
export const check: Checks = checksFor();

function isPlain(given: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(given);
  return prototype === Object.prototype || prototype === null;
}

function shown(value: unknown): string {
  if (typeof value === "string") return `"${value}"`;
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "an array" : "an object";
}
