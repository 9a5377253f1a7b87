import { canonicalJson } from "../canonical.ts";
import { isRecord } from "../is-record.ts";
import { type NormalSchema, type Schema, type SchemaObject, target } from "./normal.ts";
import { has, hasType, numberProblems, stringProblems } from "./scalar.ts";
import { TooComplex } from "./too-complex.ts";
import { evaluatedParts } from "./unevaluated.ts";

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

/** Where problems go. Without one, evaluation stops at the first. */
interface Report {
  path: Path | undefined;
  problems: Problem[];
}

type Decided = Map<object, Map<SchemaObject, boolean>>;

/** The choices of large enums, written out, for as long as their schemas live. */
const choiceSets = new WeakMap<readonly unknown[], Set<string>>();

export const MAX_STEPS = 1_000_000;
const MAX_DEPTH = 800;
const MAX_PROBLEMS = 1_000;
/** Characters of a value written out that count as one step. */
const CANONICAL_STEP = 8;
/** Unions inside unions whose branches are told apart; what is deeper is reported as one problem. */
const MAX_UNIONS = 4;

/**
 * Evaluates values against a normalised schema by walking it. Slower than compiled code, but it needs no code
 * generation, its work is bounded, and it can say everything that is wrong. A part of a value is decided once for
 * each subschema, so neither shared definitions nor nested unions multiply the work.
 */
export class Evaluation {
  readonly normal: NormalSchema;
  readonly #decided: Decided = new Map();
  /** What was decided while doubts counted the other way round. */
  readonly #otherwise: Decided = new Map();
  /** What counts as true where nobody can say; undefined where that ends the evaluation. */
  #doubt: boolean | undefined;
  #flipped = false;
  #steps = 0;
  #depth = 0;
  #unions = 0;

  constructor(normal: NormalSchema, doubt?: boolean) {
    this.normal = normal;
    this.#doubt = doubt;
  }

  isValid(schema: Schema, value: unknown): boolean {
    if (typeof schema === "boolean") return schema;
    if (typeof value !== "object" || value === null) return this.#evaluate(schema, value, undefined);
    const all = this.#flipped ? this.#otherwise : this.#decided;
    let decided = all.get(value);
    if (decided === undefined) {
      decided = new Map();
      all.set(value, decided);
    }
    let valid = decided.get(schema);
    if (valid === undefined) {
      valid = this.#evaluate(schema, value, undefined);
      decided.set(schema, valid);
    }
    return valid;
  }

  /** As `isValid`, for what counts against the value: doubts count the other way round. */
  #mayBeValid(schema: Schema, value: unknown): boolean {
    if (this.#doubt === undefined) return this.isValid(schema, value);
    this.#doubt = !this.#doubt;
    this.#flipped = !this.#flipped;
    try {
      return this.isValid(schema, value);
    } finally {
      this.#doubt = !this.#doubt;
      this.#flipped = !this.#flipped;
    }
  }

  /** Everything wrong with a value, up to a limit; empty when it is valid. */
  problems(schema: Schema, value: unknown, path?: Path): Problem[] {
    const problems: Problem[] = [];
    this.#check(schema, value, { path, problems });
    return problems;
  }

  /** Counts work that does not go through a subschema. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw new TooComplex("too large");
  }

  #check(schema: Schema, value: unknown, report: Report | undefined): boolean {
    if (report === undefined) return this.isValid(schema, value);
    if (typeof schema !== "boolean") return this.#evaluate(schema, value, report);
    return schema || wrong(report, "never", {}, value);
  }

  #evaluate(schema: SchemaObject, value: unknown, report: Report | undefined): boolean {
    this.spend(1);
    if (++this.#depth > MAX_DEPTH) throw new TooComplex("too deeply nested");
    const full = report !== undefined && report.problems.length >= MAX_PROBLEMS;
    const valid = this.#keywords(schema, value, full ? undefined : report);
    this.#depth--;
    return valid;
  }

  #keywords(schema: SchemaObject, value: unknown, report: Report | undefined): boolean {
    if (schema.type !== undefined && !hasType(value, schema.type))
      return wrong(report, "type", schema, value);
    if (schema.enum !== undefined && !this.#isChoice(schema.enum, value))
      return wrong(report, "enum", schema, value);
    let valid = true;
    if (typeof value === "string") {
      for (const keyword of this.#stringProblems(schema, value))
        valid = wrong(report, keyword, schema, value);
      if (schema.pattern !== undefined && !this.#isLike(schema.pattern, value)) {
        valid = wrong(report, "pattern", schema, value);
      }
    } else if (Number.isFinite(value)) {
      for (const keyword of numberProblems(schema, value as number))
        valid = wrong(report, keyword, schema, value);
    }
    if (!valid && report === undefined) return false;
    if (Array.isArray(value)) valid = this.#array(schema, value, report) && valid;
    else if (isRecord(value)) valid = this.#object(schema, value, report) && valid;
    if (!valid && report === undefined) return false;
    return this.#composition(schema, value, report) && valid;
  }

  #isChoice(choices: readonly unknown[], value: unknown): boolean {
    if (choices.length <= 8 && (typeof value !== "object" || value === null)) return choices.includes(value);
    let set = choiceSets.get(choices);
    if (set === undefined) {
      set = new Set(choices.map(canonicalJson));
      choiceSets.set(choices, set);
    }
    return set.has(this.#canonical(value));
  }

  #canonical(value: unknown): string {
    const text = canonicalJson(value);
    this.spend(1 + text.length / CANONICAL_STEP);
    return text;
  }

  #array(schema: SchemaObject, value: unknown[], report: Report | undefined): boolean {
    let valid = true;
    const fails = (keyword: keyof SchemaObject) => {
      valid = wrong(report, keyword, schema, value);
    };
    const { minItems, maxItems, uniqueItems, prefixItems = [], items, contains } = schema;
    if (minItems !== undefined && value.length < minItems) fails("minItems");
    if (maxItems !== undefined && value.length > maxItems) fails("maxItems");
    if (
      uniqueItems === true &&
      value.length > 1 &&
      new Set(value.map((item) => this.#canonical(item))).size < value.length
    ) {
      fails("uniqueItems");
    }
    if (contains !== undefined) {
      const { minContains = 1, maxContains = value.length } = schema;
      if (value.filter((item) => this.isValid(contains, item)).length < minContains) fails("contains");
      if (
        maxContains < value.length &&
        value.filter((item) => this.#mayBeValid(contains, item)).length > maxContains
      )
        fails("maxContains");
    }
    const rest = items ?? schema.unevaluatedItems;
    if (prefixItems.length === 0 && rest === undefined) return valid;
    const evaluated =
      items === undefined && rest !== undefined ? this.#evaluatedParts(schema, value) : undefined;
    for (let i = 0; i < value.length && (valid || report !== undefined); i++) {
      const part = i < prefixItems.length ? prefixItems[i] : evaluated?.has(i) === true ? undefined : rest;
      if (part !== undefined && !this.#check(part, value[i], inside(report, i))) valid = false;
    }
    return valid;
  }

  #object(schema: SchemaObject, value: Record<string, unknown>, report: Report | undefined): boolean {
    let valid = true;
    const fails = (keyword: keyof SchemaObject, property?: string) => {
      valid = wrong(report, keyword, schema, value, property);
    };
    for (const name of schema.required ?? []) if (!has(value, name)) fails("required", name);
    const { minProperties, maxProperties, dependentRequired = {} } = schema;
    if (minProperties !== undefined || maxProperties !== undefined) {
      const count = Object.keys(value).length;
      if (minProperties !== undefined && count < minProperties) fails("minProperties");
      if (maxProperties !== undefined && count > maxProperties) fails("maxProperties");
    }
    for (const name of Object.keys(dependentRequired)) {
      if (!has(value, name)) continue;
      for (const needed of dependentRequired[name] ?? []) {
        if (!has(value, needed)) fails("dependentRequired", needed);
      }
    }
    if (!valid && report === undefined) return false;
    return this.#properties(schema, value, report) && valid;
  }

  #properties(schema: SchemaObject, value: Record<string, unknown>, report: Report | undefined): boolean {
    const { propertyNames, unevaluatedProperties } = schema;
    const applies = this.childrenOf(schema);
    if (applies === undefined && propertyNames === undefined && unevaluatedProperties === undefined)
      return true;
    const evaluated = unevaluatedProperties === undefined ? undefined : this.#evaluatedParts(schema, value);
    let valid = true;
    for (const key of Object.keys(value)) {
      if (value[key] === undefined) continue;
      if (propertyNames !== undefined && !this.isValid(propertyNames, key)) {
        valid = wrong(report, "propertyNames", schema, value, key);
      }
      const parts = applies?.(key) ?? [];
      const rest = evaluated?.has(key) === false ? unevaluatedProperties : undefined;
      for (const part of rest === undefined ? parts : [...parts, rest]) {
        const unknown = part === false && (part === schema.additionalProperties || part === rest);
        if (unknown) valid = wrong(report, "additionalProperties", schema, value, key);
        else if (!this.#check(part, value[key], inside(report, key))) valid = false;
      }
      if (!valid && report === undefined) return false;
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
        if (this.#matches(source, key)) parts.push(part);
      }
      if (parts.length === 0 && additionalProperties !== undefined) parts.push(additionalProperties);
      return parts;
    };
  }

  /** What was looked at depends on what holds: where that is in doubt, so is all the rest. */
  #evaluatedParts(schema: SchemaObject, value: object): Set<string | number> {
    if (this.#doubt !== undefined) throw new TooComplex("too large");
    return evaluatedParts(this, schema, value);
  }

  #stringProblems(schema: SchemaObject, value: string): (keyof SchemaObject)[] {
    if (this.#doubt === undefined) return stringProblems(schema, value);
    try {
      return stringProblems(schema, value);
    } catch (error) {
      return this.#inDoubt(error) ? [] : ["format"];
    }
  }

  #isLike(source: string, text: string): boolean {
    if (this.#doubt === undefined) return this.#matches(source, text);
    try {
      return this.#matches(source, text);
    } catch (error) {
      return this.#inDoubt(error);
    }
  }

  /** What counts where one text is beyond its limits. Throws again where the whole is. */
  #inDoubt(error: unknown): boolean {
    if (!(error instanceof TooComplex) || this.#steps > MAX_STEPS) throw error;
    return this.#doubt === true;
  }

  #matches(source: string, text: string): boolean {
    const matcher = this.normal.patterns.get(source);
    if (matcher === undefined) return true;
    const matches = matcher.test(text);
    this.spend(1 + matcher.work(text.length));
    return matches;
  }

  #composition(schema: SchemaObject, value: unknown, report: Report | undefined): boolean {
    let valid = true;
    const check = (part: Schema) => {
      if ((valid || report !== undefined) && !this.#check(part, value, report)) valid = false;
    };
    if (schema.$ref !== undefined) check(target(this.normal, schema.$ref));
    for (const part of schema.allOf ?? []) check(part);
    if (schema.if !== undefined && !this.#choice(schema, schema.if, value, check)) valid = false;
    if (schema.dependentSchemas !== undefined && isRecord(value)) {
      for (const [name, part] of Object.entries(schema.dependentSchemas)) if (has(value, name)) check(part);
    }
    if (!valid && report === undefined) return false;
    if (schema.not !== undefined && this.#mayBeValid(schema.not, value))
      valid = wrong(report, "not", schema, value);
    if (schema.anyOf !== undefined && !this.#union("anyOf", schema, value, report)) valid = false;
    if (schema.oneOf !== undefined && !this.#union("oneOf", schema, value, report)) valid = false;
    return valid;
  }

  /** `if`: what is in doubt leads both ways. False where neither is possible. */
  #choice(schema: SchemaObject, condition: Schema, value: unknown, check: (part: Schema) => void): boolean {
    const { then = true, else: otherwise = true } = schema;
    const holds = this.isValid(condition, value);
    if (this.#doubt === undefined || holds === this.#mayBeValid(condition, value)) {
      check(holds ? then : otherwise);
      return true;
    }
    if (this.#doubt) return this.isValid(then, value) || this.isValid(otherwise, value);
    check(then);
    check(otherwise);
    return true;
  }

  #union(
    keyword: "anyOf" | "oneOf",
    schema: SchemaObject,
    value: unknown,
    report: Report | undefined,
  ): boolean {
    const branches = schema[keyword] ?? [];
    if (keyword === "anyOf" && branches.some((part) => this.isValid(part, value))) return true;
    const matching = branches.filter((part) => this.isValid(part, value)).length;
    if (matching > 0 && (matching === 1 || this.#doubt === true)) {
      if (this.#doubt === undefined) return true;
      return branches.filter((part) => this.#mayBeValid(part, value)).length <= 1;
    }
    if (report !== undefined) {
      const problem: Problem = { keyword, schema, value, path: report.path };
      if (matching === 0 && this.#unions < MAX_UNIONS) {
        this.#unions++;
        problem.branches = branches.map((part) => this.problems(part, value, report.path));
        this.#unions--;
      }
      report.problems.push(problem);
    }
    return false;
  }
}

function inside(report: Report | undefined, key: string | number): Report | undefined {
  return report && { path: { parent: report.path, key }, problems: report.problems };
}

function wrong(
  report: Report | undefined,
  keyword: Problem["keyword"],
  schema: SchemaObject,
  value: unknown,
  property?: string,
): false {
  if (report !== undefined) {
    const problem: Problem = { keyword, schema, value, path: report.path };
    report.problems.push(property === undefined ? problem : { ...problem, property });
  }
  return false;
}
