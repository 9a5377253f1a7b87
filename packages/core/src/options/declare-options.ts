import type { ToolrigError } from "../failure/failure.ts";
import { isPlainObject, isRecord } from "../is-record.ts";
import { type Checks, check as plainChecks } from "./check.ts";

/** Facts about one option beside its kind. */
export interface About<Value> {
  /** Used where the option is not given. */
  readonly default?: Value;
  /** True where the option must be given. */
  readonly required?: true;
  /** Names of the same option in other frameworks and earlier versions. They are refused with the right name as hint. */
  readonly aliases?: readonly string[];
}

/** Which function of `kinds.ts` made an option. */
export type OptionKind =
  | "duration"
  | "count"
  | "limit"
  | "amount"
  | "flag"
  | "text"
  | "string"
  | "choice"
  | "callback"
  | "part"
  | "signal"
  | "object"
  | "strings"
  | "list"
  | "record"
  | "group"
  | "any"
  | "other";

/** One declared option: its check, what is allowed, and its default. `Value` is the type of the option. */
export interface Option<Value> {
  readonly kind: OptionKind;
  /** Describes the allowed values in errors and in the reference: "a duration above 0". */
  readonly allowed: string;
  readonly about: About<Value>;
  /** Throws for a wrong value, naming `field`. Is not called for undefined. */
  check(field: string, value: unknown, checks: Checks): void;
  /** Never set. Ties the declaration to the type: an option of another type does not compile. */
  readonly type?: (value: Value) => Value;
}

type RequiredOption<Value> = Option<Value> & { readonly about: { readonly required: true } };

/**
 * One declared option for each member of an options type. A missing, surplus or wrongly typed one does not compile, and a member
 * that is not optional must be declared `required`.
 */
export type OptionTable<Options extends object> = {
  readonly [Name in keyof Options]-?: undefined extends Options[Name]
    ? Option<Exclude<Options[Name], undefined>>
    : Partial<Record<Name, unknown>> extends Pick<Options, Name>
      ? Option<Options[Name]>
      : RequiredOption<Options[Name]>;
};

type AnyTable = Readonly<Record<string, Option<never>>>;

/** The defaults that a table declares. */
type DefaultsOf<Table> = {
  readonly [Name in keyof Table as Table[Name] extends { about: { default: unknown } }
    ? Name
    : never]: Table[Name] extends Option<infer Value> ? Value : never;
};

/** One line of the reference. */
export interface OptionRow {
  readonly name: string;
  readonly kind: OptionKind;
  readonly allowed: string;
  readonly required: boolean;
  readonly default?: unknown;
  readonly aliases: readonly string[];
}

/** The options of one function, class, call or object: declared once, checked by the same declaration everywhere. */
export class OptionSet<Table = AnyTable> {
  /** The owner of the options, as errors name it: "AgentLoop". */
  readonly owner: string;
  readonly table: Table;
  readonly names: readonly string[];
  readonly defaults: DefaultsOf<Table>;
  readonly #byName: ReadonlyMap<string, Option<never>>;

  constructor(owner: string, table: Table) {
    const entries = Object.entries(table as AnyTable);
    this.owner = owner;
    this.table = table;
    this.names = entries.map(([name]) => name);
    this.#byName = new Map(entries);
    const defaults = entries.filter(([, { about }]) => about.default !== undefined);
    this.defaults = Object.freeze(
      Object.fromEntries(defaults.map(([name, { about }]) => [name, about.default])),
    ) as DefaultsOf<Table>;
  }

  /**
   * Throws `OPTION_INVALID` for an unknown name, a missing required option and a wrong value. Undefined counts as no options.
   * Names are checked in plain objects only: instances of classes may have further members. An option that is inherited from a
   * prototype is refused, because copies of the options lack it. `field` is the option that holds these, where they are nested.
   */
  check(given: unknown, field?: string, checks: Checks = plainChecks): void {
    const options = this.checkWithInherited(given, field, checks);
    if (!isPlainObject(options)) this.#refuseInherited(options, field, checks);
  }

  /** As `check`, for options that are read where they are and never copied: methods of a class count. Returns the options. */
  checkWithInherited(given: unknown, field?: string, checks: Checks = plainChecks): object {
    const options = this.#objectOf(given, field, checks);
    if (isPlainObject(options))
      for (const name of Object.keys(options))
        if (!this.#byName.has(name)) throw this.#unknown(name, field, checks);
    this.checkMembers(options, field, checks);
    return options;
  }

  #refuseInherited(options: object, field: string | undefined, checks: Checks): void {
    for (const name of this.names) {
      if (Object.hasOwn(options, name)) continue;
      const value = (options as Readonly<Record<string, unknown>>)[name];
      const place = field === undefined ? name : `${field}.${name}`;
      if (value !== undefined)
        throw checks.invalid(place, "an own property of the options, not inherited", value);
    }
  }

  /** As `check`, for an object that may have further members. */
  checkMembers(options: object, field?: string, checks: Checks = plainChecks): void {
    for (const [name, option] of this.#byName) {
      const value = (options as Readonly<Record<string, unknown>>)[name];
      const place = field === undefined ? name : `${field}.${name}`;
      if (value !== undefined) option.check(place, value, checks);
      else if (option.about.required === true) throw checks.invalid(place, option.allowed, undefined);
    }
  }

  /** As `check`, for a copy of options without a required one: looks at the options that are there and at no others. */
  checkOwn(options: object): void {
    for (const name in options) {
      const option = this.#byName.get(name);
      // A member of a class, such as `abort` of an AbortController given as `{ signal }`, is no option.
      if (option === undefined && !Object.hasOwn(options, name)) continue;
      if (option === undefined) throw this.#unknown(name, undefined, plainChecks);
      const value = (options as Readonly<Record<string, unknown>>)[name];
      if (value !== undefined) option.check(name, value, plainChecks);
    }
  }

  /** Throws `OPTION_INVALID`, naming `field`, for a wrong value of the option `name`. */
  checkValue(name: string & keyof Table, value: unknown, field: string = name): void {
    if (value !== undefined) this.#byName.get(name)?.check(field, value, plainChecks);
  }

  /** Checks the options and returns a copy with every default filled in. */
  withDefaults<Options extends object>(given: Options): Options & DefaultsOf<Table> {
    this.check(given);
    const filled = { ...given } as Record<string, unknown>;
    for (const [name, value] of Object.entries(this.defaults)) filled[name] ??= value;
    return filled as Options & DefaultsOf<Table>;
  }

  rows(): OptionRow[] {
    return [...this.#byName].map(([name, { kind, allowed, about }]) => ({
      name,
      kind,
      allowed,
      required: about.required === true,
      aliases: about.aliases ?? [],
      ...(about.default !== undefined && { default: about.default }),
    }));
  }

  #objectOf(given: unknown, field: string | undefined, checks: Checks): Readonly<Record<string, unknown>> {
    if (given === undefined) return {};
    if (!isRecord(given))
      checks.object(field ?? `The options of ${this.owner}`, given, "an object of options");
    return given as Readonly<Record<string, unknown>>;
  }

  #unknown(name: string, field: string | undefined, checks: Checks): ToolrigError {
    return checks.unknown(name, field ?? this.owner, this.names, this.#aliased(name));
  }

  #aliased(name: string): string | undefined {
    for (const [own, { about }] of this.#byName) if (about.aliases?.includes(name)) return own;
    return undefined;
  }
}

const declared: OptionSet<unknown>[] = [];

/**
 * Declares the options of an owner. The table is written as `{ ... } satisfies OptionTable<Options>`, in the file of the interface
 * `Options`: both are one unit, and a set that has further options spreads the table of the one that it extends.
 */
export function declareOptions<const Table extends object>(owner: string, table: Table): OptionSet<Table> {
  const set = new OptionSet(owner, table);
  declared.push(set as OptionSet<unknown>);
  return set;
}

/** Every set declared by the modules loaded so far, for the reference and for tests. */
export function declaredOptions(): readonly OptionSet<unknown>[] {
  return declared;
}

/** The table without some of its options, for a set that extends another. */
export function omitOptions<Table extends object, const Name extends keyof Table>(
  { table }: OptionSet<Table>,
  ...names: readonly Name[]
): Omit<Table, Name> {
  const kept = Object.entries(table).filter(([name]) => !(names as readonly PropertyKey[]).includes(name));
  return Object.fromEntries(kept) as Omit<Table, Name>;
}

/** The table with some of its options only. */
export function pickOptions<Table extends object, const Name extends keyof Table>(
  { table }: OptionSet<Table>,
  ...names: readonly Name[]
): Pick<Table, Name> {
  return Object.fromEntries(names.map((name) => [name, table[name]])) as Pick<Table, Name>;
}
