import type { Clock } from "../clock.ts";
import { isRecord } from "../is-record.ts";
import { type Checks, durationsWithin } from "./check.ts";
import type { About, Option, OptionKind, OptionSet } from "./declare-options.ts";
import type { Duration } from "./duration.ts";

/** The kinds of options. Each returns an `Option` that checks a value of its kind. */

/** `NoInfer`: whether an option is required is what its declaration says, not what its interface expects. */
export type Declared<Value, Facts> = Option<Value> & { readonly about: NoInfer<Facts> };

const NOTHING = {};

/** Any check. `test` throws through the checks that it is given. */
export function checked<Value, Facts extends About<Value> = About<Value>>(
  allowed: string,
  test: (field: string, value: unknown, checks: Checks) => void,
  about: Facts = NOTHING as Facts,
  kind: OptionKind = "other",
): Declared<Value, Facts> {
  return { kind, allowed, about, check: test };
}

/** A value for which `accepts` returns true. The error shows a wrong string, so it is not for secrets. */
export function that<Value, Facts extends About<Value> = About<Value>>(
  allowed: string,
  accepts: (value: unknown) => boolean,
  about?: Facts,
  kind?: OptionKind,
): Declared<Value, Facts> {
  return checked(
    allowed,
    (field, value, checks) => {
      if (!accepts(value)) throw checks.invalid(field, allowed, value);
    },
    about,
    kind,
  );
}

/** Any value: data that is passed on, or a part that its own constructor checks. */
export function anything<Value, Facts extends About<Value> = About<Value>>(
  allowed: string,
  about?: Facts,
): Declared<Value, Facts> {
  return checked(allowed, () => {}, about, "any");
}

export interface DurationFacts extends About<Duration> {
  /** Whether 0 is allowed. */
  readonly zero?: true;
  /** Whether it may be longer than a timer can hold (24 days). */
  readonly long?: true;
}

/** A duration: milliseconds, or text such as "10s". Above 0 and up to 24 days unless declared otherwise. */
export function duration<const Facts extends DurationFacts>(about?: Facts): Declared<Duration, Facts> {
  const range = { zero: about?.zero === true, long: about?.long === true };
  return checked<Duration, Facts>(
    durationsWithin(range),
    (field, value, checks) => checks.duration(field, value, range),
    about,
    "duration",
  );
}

export interface CountFacts extends About<number> {
  /** The largest allowed value. */
  readonly most?: number;
}

/** A whole number of at least `least`, and at most `most` where that is declared. */
export function count<const Facts extends CountFacts = About<number>>(
  least = 1,
  about?: Facts,
): Declared<number, Facts> {
  const most = about?.most ?? Number.POSITIVE_INFINITY;
  const allowed =
    about?.most === undefined
      ? `a whole number of at least ${least}`
      : `a whole number from ${least} to ${most}`;
  const isAllowed = (value: unknown) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  return that<number, Facts>(allowed, isAllowed, about, "count");
}

/** A whole number of at least `least`, or Infinity for no limit. */
export function limit<const Facts extends About<number>>(least = 0, about?: Facts): Declared<number, Facts> {
  return checked<number, Facts>(
    `a whole number of at least ${least}, or Infinity`,
    (field, value, checks) => void checks.limit(field, value as number, least),
    about,
    "limit",
  );
}

/** A finite number of at least `least`. */
export function amount<const Facts extends About<number>>(least = 0, about?: Facts): Declared<number, Facts> {
  return that<number, Facts>(
    `a number of at least ${least}`,
    (value) => Number.isFinite(value) && (value as number) >= least,
    about,
    "amount",
  );
}

export function flag<const Facts extends About<boolean>>(about?: Facts): Declared<boolean, Facts> {
  return checked<boolean, Facts>(
    "true or false",
    (field, value, checks) => checks.flag(field, value as boolean),
    about,
    "flag",
  );
}

/** A string that is not empty. */
export function text<Value extends string = string, const Facts extends About<Value> = About<Value>>(
  about?: Facts,
): Declared<Value, Facts> {
  return checked<Value, Facts>(
    "a non-empty string",
    (field, value, checks) => checks.string(field, value),
    about,
    "text",
  );
}

/** A string, which may be empty. The error does not show a value of another kind. */
export function anyText<const Facts extends About<string>>(about?: Facts): Declared<string, Facts> {
  return that<string, Facts>("a string", (value) => typeof value === "string", about, "string");
}

/** The SHA-256 of a token in hex. The error does not show a wrong value, which may be the token itself. */
function tokenHash<const Facts extends About<string>>(about?: Facts): Declared<string, Facts> {
  const allowed = "the SHA-256 of a token in hex";
  return checked<string, Facts>(
    allowed,
    (field, value, checks) => {
      if (typeof value !== "string" || !/^[0-9a-f]{64}$/i.test(value))
        throw checks.invalid(field, allowed, "something else");
    },
    about,
    "string",
  );
}

export function oneOf<const Choices extends readonly string[], const Facts extends About<Choices[number]>>(
  choices: Choices,
  about?: Facts,
): Declared<Choices[number], Facts> {
  return checked<Choices[number], Facts>(
    choices.map((choice) => `"${choice}"`).join(" or "),
    (field, value, checks) => checks.oneOf(field, value, choices),
    about,
    "choice",
  );
}

export function callback<Value, Facts extends About<Value> = About<Value>>(
  allowed = "a function",
  about?: Facts,
): Declared<Value, Facts> {
  return checked<Value, Facts>(
    allowed,
    (field, value, checks) => checks.function(field, value, allowed),
    about,
    "callback",
  );
}

/** An object with these methods: a store, a clock, an engine. */
export function part<Value, Facts extends About<Value> = About<Value>>(
  allowed: string,
  methods: readonly (string & keyof Value)[],
  about?: Facts,
): Declared<Value, Facts> {
  return checked<Value, Facts>(
    allowed,
    (field, value, checks) => checks.has(field, value, methods, allowed),
    about,
    "part",
  );
}

export function clock(): Option<Clock> {
  return part<Clock>("a clock", ["now", "set", "clear"]);
}

/** A controller in place of its signal would be noticed only when somebody cancels. */
export function abortSignal(): Option<AbortSignal> {
  return that(
    "an AbortSignal, such as controller.signal",
    (value) => typeof (value as AbortSignal | null)?.addEventListener === "function",
    undefined,
    "signal",
  );
}

/** An object with any fields. */
export function object<Value, Facts extends About<Value> = About<Value>>(
  allowed = "an object",
  about?: Facts,
): Declared<Value, Facts> {
  return checked<Value, Facts>(
    allowed,
    (field, value, checks) => checks.object(field, value, allowed),
    about,
    "object",
  );
}

/** A list of strings. */
export function strings<Value = readonly string[], Facts extends About<Value> = About<Value>>(
  allowed: string,
  about?: Facts,
): Declared<Value, Facts> {
  return checked<Value, Facts>(
    allowed,
    (field, value, checks) => void checks.strings(field, value, allowed),
    about,
    "strings",
  );
}

export interface ListFacts<Value> extends About<Value> {
  /** Whether items may be undefined. */
  readonly gaps?: true;
}

/** A list whose items are of a kind. */
export function listOf<Value, Item, Facts extends ListFacts<Value> = ListFacts<Value>>(
  allowed: string,
  item: Option<Item>,
  about?: Facts,
): Declared<Value, Facts> {
  return checked<Value, Facts>(
    allowed,
    (field, value, checks) => {
      checks.list(field, value, allowed);
      (value as readonly unknown[]).forEach((each, index) => {
        if (each !== undefined || about?.gaps !== true) item.check(`${field}[${index}]`, each, checks);
      });
    },
    about,
    "list",
  );
}

/** An object with values of a kind under any names. */
export function recordOf<Value, Item, Facts extends About<Value> = About<Value>>(
  allowed: string,
  item: Option<Item>,
  about?: Facts,
): Declared<Value, Facts> {
  return checked<Value, Facts>(
    allowed,
    (field, value, checks) => {
      checks.object(field, value, allowed);
      for (const [name, each] of Object.entries(value as object))
        if (each !== undefined) item.check(`${field}.${name}`, each, checks);
    },
    about,
    "record",
  );
}

/** An object of options that are declared themselves. */
export function group<Value, Facts extends About<Value> = About<Value>>(
  set: Pick<OptionSet<never>, "check" | "names">,
  about?: Facts,
): Declared<Value, Facts> {
  return checked<Value, Facts>(
    `{ ${set.names.join(", ")} }`,
    (field, value, checks) => set.check(value, field, checks),
    about,
    "group",
  );
}

/** True or false, or a value of a kind. */
function flagOr<Value, Item, Facts extends About<Value> = About<Value>>(
  item: Option<Item>,
  about?: Facts,
): Declared<Value, Facts> {
  return checked<Value, Facts>(
    `true, false or ${item.allowed}`,
    (field, value, checks) => {
      if (typeof value === "boolean") return;
      if (!isRecord(value)) throw checks.invalid(field, "true, false or options", value);
      item.check(field, value, checks);
    },
    about,
  );
}

/** All kinds, for packages that stand on core. */
export const option = {
  abortSignal,
  amount,
  anything,
  anyText,
  callback,
  checked,
  clock,
  count,
  duration,
  flag,
  flagOr,
  group,
  /** The id of a run, a request or an execution: a string that is not empty. */
  id: text,
  limit,
  listOf,
  object,
  oneOf,
  part,
  recordOf,
  strings,
  text,
  that,
  tokenHash,
};
