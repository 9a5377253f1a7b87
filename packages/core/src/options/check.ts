import type { ErrorCode } from "../failure/codes.ts";
import { ToolrigError } from "../failure/failure.ts";
import { isPlainObject, isRecord } from "../is-record.ts";
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

/** Which durations are allowed. */
interface DurationRange {
  /** Whether 0 is. */
  readonly zero: boolean;
  /** Whether those are that no timer can hold (24 days). */
  readonly long: boolean;
}

export function durationsWithin({ zero, long }: DurationRange): string {
  const range = `${zero ? "of 0 or more" : "above 0"}${long ? "" : " and up to 24 days"}`;
  return `a duration ${range}, such as "500ms" or "10s"`;
}

/**
 * Checks of what a programmer gave. Each passes the value on, or throws a `ToolrigError` that says what was expected and
 * what came. Undefined passes, for options that may be left out, except where a string, a list, a function or an object is
 * asked for.
 */
export interface Checks {
  /** For what only the caller can tell. */
  invalid(field: string, expected: string, received: unknown): ToolrigError;
  string(field: string, value: unknown): void;
  function(field: string, value: unknown, expected?: string): void;
  object(field: string, value: unknown, expected?: string): void;
  flag(field: string, value: boolean | undefined): void;
  oneOf(field: string, value: unknown, choices: readonly string[]): void;
  /** A whole number of at least `least`, which is 1 unless said otherwise. */
  count<Value extends number | undefined>(field: string, value: Value, least?: number): Value;
  /** As `count`, and Infinity for no limit. */
  limit<Value extends number | undefined>(field: string, value: Value, least?: number): Value;
  /** Milliseconds of a duration that a timer can hold. It may be any text. */
  timeout(field: string, value: Duration | string): number;
  timeout(field: string, value: Duration | string | undefined): number | undefined;
  /** An object with no setting but these: a misspelt one would be silently without effect. Looks only into plain objects. */
  known(what: string, given: unknown, fields: readonly string[]): void;
  /** A duration within the range. */
  duration(field: string, value: unknown, range: DurationRange): void;
  /**
   * The error for an option that `owner` does not have. `meant` is the right name, where the given one is an alias; otherwise the
   * nearest of `names` is suggested.
   */
  unknown(name: string, owner: string, names: readonly string[], meant?: string): ToolrigError;
  /** Something with these methods, such as a store. `expected` says what has them. */
  has(field: string, value: unknown, methods: readonly string[], expected: string): void;
  list(field: string, value: unknown, expected: string): void;
  /** A list of strings, of which a copy is passed on. `expected` says of what. */
  strings(field: string, value: unknown, expected: string): readonly string[];
}

export function checksFor({ code = "OPTION_INVALID", where = "", details }: CheckedThing = {}): Checks {
  const mistake = (field: string, problem: string) =>
    new ToolrigError(
      code,
      `${where}${field} ${problem}.`,
      details === undefined ? undefined : { details: { ...details, field } },
    );
  const invalid = (field: string, expected: string, received: unknown) =>
    mistake(field, `must be ${expected}; got ${shown(received)}`);
  const otherKind = (field: string, expected: string, received: unknown) =>
    mistake(field, `must be ${expected}; got ${kindOf(received)}`);
  const isCount = (value: number, least: number) => Number.isInteger(value) && value >= least;
  const wholeNumber = (least: number) => `a whole number of at least ${least}`;

  function timeout(field: string, value: Duration | string): number;
  function timeout(field: string, value: Duration | string | undefined): number | undefined;
  function timeout(field: string, value: Duration | string | undefined): number | undefined {
    if (value === undefined) return undefined;
    duration(field, value, { zero: false, long: false });
    return parseDuration(value, field);
  }

  function duration(field: string, value: unknown, range: DurationRange): void {
    const ms = isDuration(value) ? parseDuration(value, field) : Number.NaN;
    if ((ms > 0 || (range.zero && ms === 0)) && (range.long || ms <= MAX_TIMER_MS)) return;
    throw invalid(field, durationsWithin(range), value);
  }

  function unknown(name: string, owner: string, names: readonly string[], meant?: string): ToolrigError {
    const [near] = meant === undefined ? nearestNames(name, names, 1) : [meant];
    const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
    const list = meant === undefined ? ` Available options: ${names.join(", ")}.` : "";
    const message = `${where}Unknown option "${name}" for ${owner}.${hint}${list}`;
    return new ToolrigError(code, message, details === undefined ? undefined : { details });
  }

  function list(field: string, value: unknown, expected: string): asserts value is unknown[] {
    if (!Array.isArray(value)) throw otherKind(field, expected, value);
  }

  return {
    invalid,
    string(field, value) {
      if (typeof value !== "string" || value.trim() === "") throw invalid(field, "a non-empty string", value);
    },
    function(field, value, expected = "a function") {
      if (typeof value !== "function") throw otherKind(field, expected, value);
    },
    object(field, value, expected = "an object") {
      if (!isRecord(value)) throw otherKind(field, expected, value);
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
    has(field, value, methods, expected) {
      if (value === undefined) return;
      const members = (isRecord(value) ? value : {}) as Readonly<Record<string, unknown>>;
      const missing = methods.filter((method) => typeof members[method] !== "function");
      if (missing.length === methods.length) throw otherKind(field, expected, value);
      if (missing.length > 0) throw mistake(field, `must be ${expected}; it has no ${missing.join(", ")}`);
    },
    list,
    strings(field, value, expected) {
      list(field, value, expected);
      const strings: unknown[] = [...value];
      for (const [index, each] of strings.entries())
        if (typeof each !== "string") throw otherKind(`${field}[${index}]`, "a string", each);
      return strings as string[];
    },
    duration,
    known(what, given, fields) {
      if (given === undefined) return;
      if (!isRecord(given)) throw otherKind(what, "an object of options", given);
      if (!isPlainObject(given)) return;
      const other = Object.keys(given).find((field) => !fields.includes(field));
      if (other !== undefined) throw unknown(other, what, fields);
    },
    unknown,
  };
}

/** Checks of options. */
export const check: Checks = checksFor();

/** How much of a string is told: enough to recognise it. */
const MAX_SHOWN = 60;

function shown(value: unknown): string {
  if (typeof value !== "string") return kindOf(value);
  return `"${value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value}"`;
}

/** For where no string belongs: what was put there by mistake may be a secret. */
function kindOf(value: unknown): string {
  if (typeof value === "string") return value === "" ? "an empty string" : "a string";
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "an array" : "an object";
}
