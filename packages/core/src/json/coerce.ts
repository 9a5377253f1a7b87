import type { Repair } from "../call/decoded.ts";
import type { ArgumentIssue } from "../failure/failure.ts";
import { Evaluation, type Path } from "../schema/evaluate.ts";
import { pointerOf } from "../schema/issues.ts";
import { isPlainObject, type JsonSchema } from "../schema/json-schema.ts";
import { type Schema, type SchemaObject, target } from "../schema/normal.ts";
import { hasType } from "../schema/scalar.ts";
import { validatorFor } from "../schema/validate.ts";
import { type CoercionKind, type Conversion, toChoice, toScalar } from "./coerce/convert.ts";
import { costOf, leastFirst } from "./coerce/cost.ts";
import { embedded } from "./coerce/embedded.ts";
import { Places } from "./coerce/places.ts";

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
const EXCERPT = 80;

/**
 * Turns arguments that do not validate into ones that do, where what the model meant is certain: "3" for 3, "true"
 * for true, one value for a list of one, JSON in a string, an enum's choice in another case, null for an optional
 * property. Works on a copy. A part that validates is never changed, nothing is ever invented for a missing property,
 * and nothing is lost: "3.7" for an integer stays an error. Throws `SCHEMA_INVALID` for an unusable schema only.
 */
export function coerce(value: unknown, schema: JsonSchema, { trusted = true }: CoerceOptions = {}): Coercion {
  const { check, issues } = validatorFor(schema, { trusted });
  if (check(value)) return { ok: true, value, repairs: [], issues: [] };
  const closest = coerceAt(value, schema, { trusted, places: EVERYWHERE });
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
  { trusted, places }: { trusted: boolean; places: ReadonlySet<string> },
): { value: unknown; repairs: Repair[] } {
  const { normal } = validatorFor(schema, { trusted });
  try {
    const attempt = new Attempt(new Evaluation(normal), new Places(places));
    return { value: attempt.fix(normal.root, value, undefined), repairs: attempt.repairs };
  } catch {
    // Beyond the limits of evaluation: nothing is certain.
    return { value, repairs: [] };
  }
}

interface Outcome {
  at: string;
  fixed: unknown;
  repairs: readonly Repair[];
}

class Attempt {
  readonly repairs: Repair[] = [];
  readonly #evaluation: Evaluation;
  readonly #places: Places;
  readonly #outcomes = new Map<object, Map<SchemaObject, Outcome>>();
  #depth = 0;

  constructor(evaluation: Evaluation, places: Places) {
    this.#evaluation = evaluation;
    this.#places = places;
  }

  /** The value with everything repaired that can be; the value itself when it is valid or nothing helps. */
  fix(schema: Schema, value: unknown, path: Path | undefined): unknown {
    if (typeof schema === "boolean" || this.#evaluation.isValid(schema, value)) return value;
    if (this.#depth >= MAX_DEPTH) return value;
    const known = this.#recall(schema, value, path);
    if (known !== undefined) {
      this.#evaluation.spend(known.repairs.length);
      this.repairs.push(...known.repairs);
      return known.fixed;
    }
    const before = this.repairs.length;
    this.#depth++;
    const isUnion = schema.anyOf !== undefined || schema.oneOf !== undefined;
    const fixed = this.#places.within(path, isUnion, () => this.#fixInvalid(schema, value, path));
    this.#depth--;
    this.#remember(schema, value, { at: pointerOf(path), fixed, repairs: this.repairs.slice(before) });
    return fixed;
  }

  #remember(schema: SchemaObject, value: unknown, outcome: Outcome): void {
    if (typeof value !== "object" || value === null) return;
    this.#evaluation.spend(outcome.repairs.length);
    let outcomes = this.#outcomes.get(value);
    if (outcomes === undefined) {
      outcomes = new Map();
      this.#outcomes.set(value, outcomes);
    }
    outcomes.set(schema, outcome);
  }

  /** What became of the same part under the same subschema before: branches of a union try it again and again. */
  #recall(schema: SchemaObject, value: unknown, path: Path | undefined): Outcome | undefined {
    if (typeof value !== "object" || value === null) return undefined;
    const outcome = this.#outcomes.get(value)?.get(schema);
    return outcome?.at === pointerOf(path) ? outcome : undefined;
  }

  #fixInvalid(schema: SchemaObject, value: unknown, path: Path | undefined): unknown {
    this.#evaluation.spend(2);
    const before = this.repairs.length;
    for (const candidate of this.#candidates(schema, value, path)) {
      const fixed = this.#fixParts(schema, candidate, path);
      if (this.#evaluation.isValid(schema, fixed)) return fixed;
      if (candidate === value && typeof value === "object") return fixed;
      this.repairs.length = before;
    }
    return value;
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
    for (const { kind, value: meant } of leastFirst(value, conversions(schema, value)))
      yield this.#note(kind, path, value, meant);
  }

  #note(kind: CoercionKind, path: Path | undefined, before: unknown, after: unknown): unknown {
    this.repairs.push({
      kind,
      degree: "exact",
      path: pointerOf(path),
      before: excerpt(before),
      after: excerpt(after),
    });
    return after;
  }

  /** Fixes elements and properties, then what applies in place. */
  #fixParts(schema: SchemaObject, value: unknown, path: Path | undefined): unknown {
    let fixed = value;
    if (Array.isArray(fixed)) fixed = this.#fixItems(schema, fixed, path);
    else if (isPlainObject(fixed)) fixed = this.#fixProperties(schema, fixed, path);
    if (schema.$ref !== undefined)
      fixed = this.fix(target(this.#evaluation.normal, schema.$ref), fixed, path);
    for (const part of schema.allOf ?? []) fixed = this.fix(part, fixed, path);
    if (schema.if !== undefined) {
      const applies = this.#evaluation.isValid(schema.if, fixed) ? schema.then : schema.else;
      fixed = this.fix(applies ?? true, fixed, path);
    }
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

/** What a value of another type may stand for. */
function conversions(schema: SchemaObject, value: unknown): Conversion[] {
  return (schema.type ?? []).flatMap((type) => {
    const found: Conversion[] = [];
    const scalar = toScalar(value, type);
    if (scalar !== undefined) found.push(scalar);
    if (type !== "object" && type !== "array") return found;
    const inside = typeof value === "string" ? embedded(value, type) : undefined;
    if (inside !== undefined) found.push({ kind: "json-in-string", value: inside });
    const describesItems = schema.items !== undefined || schema.prefixItems !== undefined;
    if (type === "array" && describesItems && value !== null && value !== undefined)
      found.push({ kind: "value-to-array", value: [value] });
    return found;
  });
}

function excerpt(value: unknown): string {
  if (value === undefined) return "";
  const text = typeof value === "string" ? JSON.stringify(value.slice(0, EXCERPT)) : serialise(value);
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT - 1)}…` : text;
}

function serialise(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return typeof value;
  }
}
