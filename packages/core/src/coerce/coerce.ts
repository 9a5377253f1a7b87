import type { Repair } from "@toolrig/json";
import { Literals } from "@toolrig/json/kit";
import type { ArgumentIssue } from "../failure/failure.ts";
import { isRecord } from "../is-record.ts";
import { Evaluation, type Path } from "../schema/evaluate.ts";
import { pointerOf } from "../schema/issues.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { type Schema, type SchemaObject, target } from "../schema/normal.ts";
import { has, hasType } from "../schema/scalar.ts";
import { validatorFor } from "../schema/validate.ts";
import { type CoercionKind, type Conversion, toChoice, toScalar } from "./convert.ts";
import { costOf, leastFirst } from "./cost.ts";
import { embedded, isBrokenList, mayBeSeveral } from "./embedded.ts";
import { excerpt, jsonOf } from "./excerpt.ts";
import { type Outcome, Outcomes } from "./outcomes.ts";
import { placeHint } from "./place-hint.ts";
import { Places } from "./places.ts";

export interface Coercion {
  ok: boolean;
  /** What validates when `ok`, the value as it was given otherwise. */
  value: unknown;
  /** Every change, with its place. Empty unless `ok`. */
  repairs: Repair[];
  /** What is still wrong after everything that could be coerced was. Empty when `ok`. */
  issues: ArgumentIssue[];
}

export interface CoerceOptions {
  /** False for schemas that come from outside this program. Default true. */
  trusted?: boolean;
}

const MAX_DEPTH = 100;
/** Characters of a value written out for its excerpt that count as one step. */
const WRITTEN_STEP = 100;

/**
 * Turns arguments that do not validate into ones that do, where what the model meant is certain: "3" for 3, "true"
 * for true, one value for a list of one, JSON in a string, an enum's choice in another case, null for an optional
 * property. Works on a copy. A part that validates is never changed, nothing is ever invented for a missing property,
 * and nothing is lost: "3.7" for an integer stays an error. Throws `SCHEMA_INVALID` for an unusable schema only.
 */
export function coerce(value: unknown, schema: JsonSchema, options: CoerceOptions = {}): Coercion {
  return coerceText(value, schema, { ...options, text: undefined });
}

/** The same for a value that was read from a text, which still has the digits of its numbers. */
export function coerceText(
  value: unknown,
  schema: JsonSchema,
  { trusted = true, text }: CoerceOptions & { text: string | undefined },
): Coercion {
  const { check, issues } = validatorFor(schema, { trusted });
  if (check(value)) return { ok: true, value, repairs: [], issues: [] };
  const closest = coerceAt(value, schema, { trusted, text, places: EVERYWHERE });
  if (check(closest.value)) return { ok: true, ...closest, issues: [] };
  return { ok: false, value, repairs: [], issues: issues(closest.value) };
}

/** The place that holds all others. */
export const EVERYWHERE: ReadonlySet<string> = new Set([""]);

/**
 * The value with everything coerced that can be at these places (JSON Pointers) and below them, whether or not that is
 * enough: for schemas that have a validator of their own, which says where it refuses what. A union above such a place is
 * decided as a whole.
 */
export function coerceAt(
  value: unknown,
  schema: JsonSchema,
  { trusted, text, places }: { trusted: boolean; text: string | undefined; places: ReadonlySet<string> },
): { value: unknown; repairs: Repair[] } {
  const { normal } = validatorFor(schema, { trusted });
  try {
    const coercer = new Coercer(new Evaluation(normal), new Places(places), text);
    return { value: coercer.fix(normal.root, value, undefined), repairs: coercer.repairs };
  } catch {
    // Beyond the limits of evaluation: nothing is certain.
    return { value, repairs: [] };
  }
}

class Coercer {
  readonly repairs: Repair[] = [];
  readonly #evaluation: Evaluation;
  readonly #places: Places;
  readonly #outcomes = new Outcomes();
  /** The same for parts that a list was put around. */
  readonly #outcomesInLists = new Outcomes();
  /** What documents were read from: the arguments, and the strings that hold JSON, by their places. */
  readonly #texts = new Map<Path | undefined, Literals>();
  /** Places of lists that were put around their one element. */
  readonly #wrapped = new Set<Path | undefined>();
  #depth = 0;
  /** Whether something was too deep to be tried. */
  #limited = false;

  constructor(evaluation: Evaluation, places: Places, text: string | undefined) {
    this.#evaluation = evaluation;
    this.#places = places;
    if (text !== undefined) this.#texts.set(undefined, new Literals(text));
  }

  /** The value with everything repaired that can be; the value itself when it is valid or nothing helps. */
  fix(schema: Schema, value: unknown, path: Path | undefined): unknown {
    if (typeof schema === "boolean" || this.#evaluation.isValid(schema, value)) return value;
    if (this.#depth >= MAX_DEPTH) {
      this.#limited = true;
      return value;
    }
    const known = this.#recall(schema, value, path);
    if (known !== undefined) return known.fixed;
    const before = this.repairs.length;
    const limitedBefore = this.#limited;
    this.#limited = false;
    this.#depth++;
    const isUnion = schema.anyOf !== undefined || schema.oneOf !== undefined;
    const fixed = this.#places.within(path, isUnion, () => this.#fixInvalid(schema, value, path));
    this.#depth--;
    const repairs = this.repairs.slice(before);
    this.#evaluation.spend(repairs.length);
    const depth = this.#limited ? this.#depth : 0;
    this.#outcomesAt(path).set(schema, value, { at: pointerOf(path), fixed, repairs, depth });
    this.#limited ||= limitedBefore;
    return fixed;
  }

  /**
   * What became of the same part under the same subschema before, at any place: a branch may have put a list around it. Where
   * not all of the value may be changed, only at the same one.
   */
  #recall(schema: SchemaObject, value: unknown, path: Path | undefined): Outcome | undefined {
    const outcome = this.#outcomesAt(path).get(schema, value);
    if (outcome === undefined || this.#depth < outcome.depth) return undefined;
    const at = pointerOf(path);
    if (outcome.at !== at && !this.#places.open) return undefined;
    if (outcome.depth > 0) this.#limited = true;
    this.#evaluation.spend(outcome.repairs.length);
    for (const repair of outcome.repairs)
      this.repairs.push({ ...repair, path: `${at}${(repair.path ?? "").slice(outcome.at.length)}` });
    return outcome;
  }

  #outcomesAt(path: Path | undefined): Outcomes {
    return this.#isWrapped(path) ? this.#outcomesInLists : this.#outcomes;
  }

  #fixInvalid(schema: SchemaObject, value: unknown, path: Path | undefined): unknown {
    this.#evaluation.spend(2);
    const before = this.repairs.length;
    let closest: { fixed: unknown; repairs: readonly Repair[] } | undefined;
    for (const candidate of this.#candidates(schema, value, path)) {
      const fixed = this.#fixParts(schema, candidate, path);
      if (this.#evaluation.isValid(schema, fixed)) return fixed;
      if (candidate === value && typeof value === "object") return fixed;
      const repairs = this.repairs.splice(before);
      // What is wrong inside of JSON in a string is told, not that it is a string.
      if (repairs[0]?.kind === "json-in-string") closest ??= { fixed, repairs };
    }
    if (closest === undefined) return value;
    this.repairs.push(...closest.repairs);
    return closest.fixed;
  }

  /** What the value could mean for this schema, most likely first; each change is noted as it is tried. */
  *#candidates(schema: SchemaObject, value: unknown, path: Path | undefined): Generator<unknown> {
    const typed = schema.type === undefined || hasType(value, schema.type);
    if (typed) yield value;
    if (!this.#places.open) return;
    if (schema.enum !== undefined) {
      this.#evaluation.spend(schema.enum.length / 10);
      const choice = toChoice(value, schema.enum);
      if (choice !== undefined) yield this.#note(choice.kind, path, value, choice.value);
    }
    if (typed) return;
    for (const { kind, value: meant, notes } of leastFirst(value, this.#conversions(schema, value, path))) {
      this.#note(kind, path, value, meant);
      for (const { position, ...note } of notes ?? [])
        this.repairs.push({ ...note, path: `${pointerOf(path)}${note.path ?? ""}` });
      if (kind === "value-to-array") yield* this.#wrap(path, meant);
      else yield meant;
    }
  }

  /** A list that was put around a value, known as such for as long as it is tried. */
  *#wrap(path: Path | undefined, list: unknown): Generator<unknown> {
    this.#wrapped.add(path);
    try {
      yield list;
    } finally {
      this.#wrapped.delete(path);
    }
  }

  /** What a value of another type may stand for. */
  #conversions(schema: SchemaObject, value: unknown, path: Path | undefined): Conversion[] {
    return (schema.type ?? []).flatMap((type) => {
      const found: Conversion[] = [];
      const scalar = toScalar(value, type);
      if (scalar?.kind === "number-to-string")
        scalar.value = this.#written(value as number, path) ?? scalar.value;
      if (scalar !== undefined) found.push(scalar);
      if (type !== "object" && type !== "array") return found;
      const inside = typeof value === "string" ? this.#embedded(value, type, path) : undefined;
      if (inside !== undefined) found.push(inside);
      if (type === "array" && !this.#isWrapped(path) && isElement(schema, value))
        found.push({ kind: "value-to-array", value: [value] });
      return found;
    });
  }

  /** Whether a list was just put around the value at a place: another one is not meant. */
  #isWrapped(path: Path | undefined): boolean {
    return path !== undefined && this.#wrapped.has(path.parent);
  }

  #embedded(text: string, type: "object" | "array", path: Path | undefined): Conversion | undefined {
    const inside = embedded(text, type, placeHint(this.#evaluation.normal, path));
    if (inside === undefined) return undefined;
    this.#texts.set(path, new Literals(inside.text));
    return { kind: "json-in-string", value: inside.value, notes: inside.notes };
  }

  /** The characters that a number was written with. */
  #written(value: number, path: Path | undefined): string | undefined {
    let from = path;
    while (from !== undefined && !this.#texts.has(from)) from = from.parent;
    const keys: (string | number)[] = [];
    for (let at = path; at !== undefined && at !== from; at = at.parent)
      if (!this.#isWrapped(at)) keys.unshift(at.key);
    return this.#texts.get(from)?.at(keys, value);
  }

  #note(kind: CoercionKind, path: Path | undefined, before: unknown, after: unknown): unknown {
    const [given, made] = [jsonOf(before), jsonOf(after)];
    this.#evaluation.spend((given.length + made.length) / WRITTEN_STEP);
    this.repairs.push({
      kind,
      degree: "exact",
      path: pointerOf(path),
      before: excerpt(given),
      after: excerpt(made),
    });
    return after;
  }

  /** Fixes elements and properties, then what applies in place. */
  #fixParts(schema: SchemaObject, value: unknown, path: Path | undefined): unknown {
    let fixed = value;
    if (Array.isArray(fixed)) fixed = this.#fixItems(schema, fixed, path);
    else if (isRecord(fixed)) fixed = this.#fixProperties(schema, fixed, path);
    if (schema.$ref !== undefined)
      fixed = this.fix(target(this.#evaluation.normal, schema.$ref), fixed, path);
    for (const part of schema.allOf ?? []) fixed = this.fix(part, fixed, path);
    if (schema.if !== undefined) {
      const applies = this.#evaluation.isValid(schema.if, fixed) ? schema.then : schema.else;
      fixed = this.fix(applies ?? true, fixed, path);
    }
    for (const [name, part] of Object.entries(schema.dependentSchemas ?? {}))
      if (isRecord(fixed) && has(fixed, name)) fixed = this.fix(part, fixed, path);
    for (const branches of [schema.anyOf, schema.oneOf]) {
      if (branches !== undefined) fixed = this.#fixUnion(schema, branches, fixed, path);
    }
    return fixed;
  }

  /** Of the branches that make the whole schema valid, the one that changes least wins; of equal ones the first. */
  #fixUnion(
    schema: SchemaObject,
    branches: readonly Schema[],
    value: unknown,
    path: Path | undefined,
  ): unknown {
    if (branches.some((branch) => this.#evaluation.isValid(branch, value))) return value;
    const before = this.repairs.length;
    let best: { fixed: unknown; repairs: readonly Repair[]; cost: number } | undefined;
    for (const branch of branches) {
      const fixed = this.fix(branch, value, path);
      const repairs = this.repairs.splice(before);
      if (!this.#evaluation.isValid(branch, fixed) || !this.#evaluation.isValid(schema, fixed)) continue;
      const cost = costOf(repairs);
      if (best === undefined || cost < best.cost) best = { fixed, repairs, cost };
    }
    if (best === undefined) return value;
    this.repairs.push(...best.repairs);
    return best.fixed;
  }

  #fixItems(schema: SchemaObject, value: readonly unknown[], path: Path | undefined): readonly unknown[] {
    const { prefixItems = [], items } = schema;
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const fixed = this.fix(prefixItems[i] ?? items ?? true, value[i], { parent: path, key: i });
      if (fixed === value[i]) continue;
      copy ??= [...value];
      copy[i] = fixed;
    }
    return copy ?? value;
  }

  #fixProperties(
    schema: SchemaObject,
    value: Record<string, unknown>,
    path: Path | undefined,
  ): Record<string, unknown> {
    const partsOf = this.#evaluation.childrenOf(schema);
    if (partsOf === undefined) return value;
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(value)) {
      const at: Path = { parent: path, key };
      const parts = partsOf(key);
      const fixed = parts.reduce<unknown>((current, part) => this.fix(part, current, at), value[key]);
      const drop = this.#isAbsent(schema, at, parts, fixed);
      if (fixed === value[key] && !drop) continue;
      copy ??= { ...value };
      if (drop) {
        delete copy[key];
        this.#note("null-to-absent", at, value[key], undefined);
      } else
        Object.defineProperty(copy, key, {
          value: fixed,
          writable: true,
          enumerable: true,
          configurable: true,
        });
    }
    return copy ?? value;
  }

  /** Null, or "null", for a property that may be left out and cannot be null. */
  #isAbsent(schema: SchemaObject, at: Path, parts: readonly Schema[], value: unknown): boolean {
    const empty = value === null || (typeof value === "string" && value.trim() === "null");
    if (!empty || schema.required?.includes(String(at.key)) || !this.#places.isOpen(at)) return false;
    return parts.some((part) => part !== false && !this.#evaluation.isValid(part, value));
  }
}

/** Whether a value may be the one element of a list that was meant. */
function isElement(schema: SchemaObject, value: unknown): boolean {
  if (value === null || value === undefined) return false;
  if (schema.items === undefined && schema.prefixItems === undefined) return false;
  return typeof value !== "string" || !(mayBeSeveral(value) || isBrokenList(value));
}
