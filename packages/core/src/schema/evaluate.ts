import { canonicalJson } from "../canonical.ts";
import { isPlainObject } from "./json-schema.ts";
import { type NormalSchema, type Schema, type SchemaObject, target } from "./normal.ts";
import { areUnique, hasType, numberProblems, stringProblems } from "./scalar.ts";

/** One keyword that a value does not satisfy. Data only: text is made from it where it is shown. */
export interface Problem {
  keyword: keyof SchemaObject | "never";
  schema: SchemaObject;
  value: unknown;
  path: Path | undefined;
  /** The property that is missing, unknown or misnamed. */
  property?: string;
  /** For a union: what is wrong with the value in each branch. */
  branches?: Problem[][];
}

/** Where a value is, from the inside out. */
export interface Path {
  parent: Path | undefined;
  key: string | number;
}

/** Thrown, inside this folder only, when a value takes more work than the limits allow. */
export class TooComplex extends Error {}

const MAX_STEPS = 1_000_000;
const MAX_DEPTH = 800;
const MAX_PROBLEMS = 1_000;

/**
 * Evaluates values against a normalised schema by walking it. Slower than compiled code, but it needs no code
 * generation, its work is bounded, and it can say everything that is wrong. A part of a value is decided once for
 * each subschema, so neither shared definitions nor nested unions multiply the work.
 */
export class Evaluation {
  readonly normal: NormalSchema;
  readonly #decided = new Map<object, Map<SchemaObject, boolean>>();
  readonly #choices = new Map<readonly unknown[], Set<string>>();
  #steps = 0;
  #depth = 0;

  constructor(normal: NormalSchema) {
    this.normal = normal;
  }

  isValid(schema: Schema, value: unknown): boolean {
    if (typeof schema === "boolean") return schema;
    if (typeof value !== "object" || value === null)
      return this.#evaluate(schema, value, undefined, undefined);
    let decided = this.#decided.get(value);
    if (decided === undefined) this.#decided.set(value, (decided = new Map()));
    let valid = decided.get(schema);
    if (valid === undefined) {
      valid = this.#evaluate(schema, value, undefined, undefined);
      decided.set(schema, valid);
    }
    return valid;
  }

  /** Everything wrong with a value, up to a limit; empty when it is valid. */
  problems(schema: Schema, value: unknown, path?: Path): Problem[] {
    const found: Problem[] = [];
    this.#check(schema, value, path, found);
    return found;
  }

  /** Counts work that does not go through a subschema. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw new TooComplex("too much work");
  }

  #check(schema: Schema, value: unknown, path: Path | undefined, found: Problem[] | undefined): boolean {
    if (found === undefined) return this.isValid(schema, value);
    if (typeof schema !== "boolean") return this.#evaluate(schema, value, path, found);
    if (!schema) found.push({ keyword: "never", schema: {}, value, path });
    return schema;
  }

  #evaluate(
    schema: SchemaObject,
    value: unknown,
    path: Path | undefined,
    found: Problem[] | undefined,
  ): boolean {
    this.spend(1);
    if (++this.#depth > MAX_DEPTH) throw new TooComplex("nested too deeply");
    const full = found !== undefined && found.length >= MAX_PROBLEMS;
    const valid = this.#evaluateAll(schema, value, path, full ? undefined : found);
    this.#depth--;
    return valid;
  }

  #evaluateAll(
    schema: SchemaObject,
    value: unknown,
    path: Path | undefined,
    found: Problem[] | undefined,
  ): boolean {
    const wrong = (keyword: keyof SchemaObject) => {
      found?.push({ keyword, schema, value, path });
      return false;
    };
    if (schema.type !== undefined && !hasType(value, schema.type)) return wrong("type");
    if (schema.enum !== undefined && !this.isChoice(schema.enum, value)) return wrong("enum");
    let valid = true;
    if (typeof value === "string") {
      for (const keyword of stringProblems(this.normal, schema, value)) valid = wrong(keyword);
    } else if (typeof value === "number") {
      for (const keyword of numberProblems(schema, value)) valid = wrong(keyword);
    }
    if (!valid && found === undefined) return false;
    if (Array.isArray(value)) valid = this.#array(schema, value, path, found) && valid;
    else if (isPlainObject(value)) valid = this.#object(schema, value, path, found) && valid;
    if (!valid && found === undefined) return false;
    return this.#composition(schema, value, path, found) && valid;
  }

  isChoice(choices: readonly unknown[], value: unknown): boolean {
    if (choices.length <= 8 && (typeof value !== "object" || value === null)) return choices.includes(value);
    let set = this.#choices.get(choices);
    if (set === undefined) this.#choices.set(choices, (set = new Set(choices.map(canonicalJson))));
    return set.has(canonicalJson(value));
  }

  #array(
    schema: SchemaObject,
    value: unknown[],
    path: Path | undefined,
    found: Problem[] | undefined,
  ): boolean {
    let valid = true;
    const wrong = (keyword: keyof SchemaObject) => {
      found?.push({ keyword, schema, value, path });
      valid = false;
    };
    const { minItems, maxItems, uniqueItems, prefixItems = [], items, contains } = schema;
    if (minItems !== undefined && value.length < minItems) wrong("minItems");
    if (maxItems !== undefined && value.length > maxItems) wrong("maxItems");
    if (uniqueItems === true) {
      this.spend(value.length);
      if (!areUnique(value)) wrong("uniqueItems");
    }
    if (contains !== undefined) {
      const count = value.filter((item) => this.isValid(contains, item)).length;
      if (count < (schema.minContains ?? 1)) wrong("contains");
      if (schema.maxContains !== undefined && count > schema.maxContains) wrong("maxContains");
    }
    const rest = items ?? schema.unevaluatedItems;
    if (prefixItems.length === 0 && rest === undefined) return valid;
    const evaluated = items === undefined && rest !== undefined ? this.#evaluated(schema, value) : undefined;
    for (let i = 0; i < value.length && (valid || found !== undefined); i++) {
      const at = { parent: path, key: i };
      const part = i < prefixItems.length ? prefixItems[i] : evaluated?.has(i) === true ? undefined : rest;
      if (part !== undefined && !this.#check(part, value[i], at, found)) valid = false;
    }
    return valid;
  }

  #object(
    schema: SchemaObject,
    value: Record<string, unknown>,
    path: Path | undefined,
    found: Problem[] | undefined,
  ): boolean {
    let valid = true;
    const wrong = (keyword: keyof SchemaObject, property?: string) => {
      if (found !== undefined) {
        const problem: Problem = { keyword, schema, value, path };
        found.push(property === undefined ? problem : { ...problem, property });
      }
      valid = false;
    };
    for (const name of schema.required ?? []) if (!has(value, name)) wrong("required", name);
    const { minProperties, maxProperties, dependentRequired = {} } = schema;
    if (minProperties !== undefined || maxProperties !== undefined) {
      const count = Object.keys(value).length;
      if (minProperties !== undefined && count < minProperties) wrong("minProperties");
      if (maxProperties !== undefined && count > maxProperties) wrong("maxProperties");
    }
    for (const name of Object.keys(dependentRequired)) {
      if (!has(value, name)) continue;
      for (const needed of dependentRequired[name] ?? []) {
        if (!has(value, needed)) wrong("dependentRequired", needed);
      }
    }
    if (!valid && found === undefined) return false;
    return this.#properties(schema, value, path, found) && valid;
  }

  #properties(
    schema: SchemaObject,
    value: Record<string, unknown>,
    path: Path | undefined,
    found: Problem[] | undefined,
  ): boolean {
    const { propertyNames, unevaluatedProperties } = schema;
    const applies = this.childrenOf(schema);
    if (applies === undefined && propertyNames === undefined && unevaluatedProperties === undefined)
      return true;
    const evaluated = unevaluatedProperties === undefined ? undefined : this.#evaluated(schema, value);
    let valid = true;
    for (const key of Object.keys(value)) {
      if (value[key] === undefined) continue;
      const at = { parent: path, key };
      if (propertyNames !== undefined && !this.isValid(propertyNames, key)) {
        found?.push({ keyword: "propertyNames", schema, value, path, property: key });
        valid = false;
      }
      const parts = applies?.(key) ?? [];
      const rest = evaluated?.has(key) === false ? unevaluatedProperties : undefined;
      for (const part of rest === undefined ? parts : [...parts, rest]) {
        const unknown = part === false && (part === schema.additionalProperties || part === rest);
        if (unknown) {
          found?.push({ keyword: "additionalProperties", schema, value, path, property: key });
          valid = false;
        } else if (!this.#check(part, value[key], at, found)) valid = false;
      }
      if (!valid && found === undefined) return false;
    }
    return valid;
  }

  /** The subschemas that apply to a property, by its name. */
  childrenOf(schema: SchemaObject): ((key: string) => Schema[]) | undefined {
    const { properties, patternProperties, additionalProperties } = schema;
    if (properties === undefined && patternProperties === undefined && additionalProperties === undefined)
      return undefined;
    const patterns = Object.entries(patternProperties ?? {});
    return (key) => {
      const parts: Schema[] = [];
      const own = properties?.[key];
      if (own !== undefined) parts.push(own);
      for (const [source, part] of patterns) {
        this.spend(1);
        if (this.normal.patterns.get(source)?.test(key)) parts.push(part);
      }
      if (parts.length === 0 && additionalProperties !== undefined) parts.push(additionalProperties);
      return parts;
    };
  }

  #composition(
    schema: SchemaObject,
    value: unknown,
    path: Path | undefined,
    found: Problem[] | undefined,
  ): boolean {
    let valid = true;
    const check = (part: Schema) => {
      if ((valid || found !== undefined) && !this.#check(part, value, path, found)) valid = false;
    };
    if (schema.$ref !== undefined) check(target(this.normal, schema.$ref));
    for (const part of schema.allOf ?? []) check(part);
    if (schema.if !== undefined) check((this.isValid(schema.if, value) ? schema.then : schema.else) ?? true);
    if (schema.dependentSchemas !== undefined && isPlainObject(value)) {
      for (const [name, part] of Object.entries(schema.dependentSchemas)) if (has(value, name)) check(part);
    }
    if (!valid && found === undefined) return false;
    if (schema.not !== undefined && this.isValid(schema.not, value)) {
      found?.push({ keyword: "not", schema, value, path });
      valid = false;
    }
    if (schema.anyOf !== undefined && !this.#union("anyOf", schema, value, path, found)) valid = false;
    if (schema.oneOf !== undefined && !this.#union("oneOf", schema, value, path, found)) valid = false;
    return valid;
  }

  #union(
    keyword: "anyOf" | "oneOf",
    schema: SchemaObject,
    value: unknown,
    path: Path | undefined,
    found: Problem[] | undefined,
  ): boolean {
    const branches = schema[keyword] ?? [];
    if (keyword === "anyOf" && branches.some((part) => this.isValid(part, value))) return true;
    const matching = branches.filter((part) => this.isValid(part, value)).length;
    if (matching === 1) return true;
    if (found !== undefined) {
      const problem: Problem = { keyword, schema, value, path };
      if (matching === 0) problem.branches = branches.map((part) => this.problems(part, value, path));
      found.push(problem);
    }
    return false;
  }

  /** The properties or elements that some other keyword of `schema`, or of what applies in place, has looked at. */
  #evaluated(schema: SchemaObject, value: object): Set<string | number> {
    const seen = new Set<string | number>();
    const { unevaluatedItems: _items, unevaluatedProperties: _properties, ...others } = schema;
    this.#addEvaluated(others, value, seen);
    for (const part of this.#applied(schema, value)) this.#addEvaluated(part, value, seen);
    return seen;
  }

  #addEvaluated(schema: SchemaObject, value: object, seen: Set<string | number>): void {
    if (Array.isArray(value)) {
      const all = schema.items !== undefined || schema.unevaluatedItems !== undefined;
      const count = all ? value.length : (schema.prefixItems?.length ?? 0);
      for (let i = 0; i < Math.min(count, value.length); i++) seen.add(i);
      const { contains } = schema;
      if (contains !== undefined) {
        for (const [i, item] of value.entries()) if (this.isValid(contains, item)) seen.add(i);
      };
      return;
    }
    const applies = this.childrenOf(schema);
    for (const key of Object.keys(value)) {
      if (schema.unevaluatedProperties !== undefined || (applies?.(key).length ?? 0) > 0) seen.add(key);
    }
  }

  /** Every subschema that applies in place to `value` and accepts it, `schema` itself excluded. */
  *#applied(schema: SchemaObject, value: object): Generator<SchemaObject> {
    const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    if (schema.$ref !== undefined) parts.push(target(this.normal, schema.$ref));
    if (schema.if !== undefined)
      parts.push(schema.if, (this.isValid(schema.if, value) ? schema.then : schema.else) ?? true);
    for (const [name, part] of Object.entries(schema.dependentSchemas ?? {})) {
      if (has(value as Record<string, unknown>, name)) parts.push(part);
    }
    for (const part of parts) {
      this.spend(1);
      if (typeof part === "boolean" || !this.isValid(part, value)) continue;
      yield part;
      yield* this.#applied(part, value);
    }
  }
}

export function has(value: Record<string, unknown>, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}
