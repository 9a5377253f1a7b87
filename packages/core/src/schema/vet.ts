import { inPlace, type NormalSchema, onParts, type Schema, type SchemaObject } from "./normal.ts";
import { invalid } from "./reading.ts";

/** Subschemas that may apply to one value at one place, references followed. */
const MAX_IN_PLACE = 5_000;
const MAX_CHAIN = 500;
/** Compiled code grows with the schema, and so does the time to compile it; larger ones are evaluated instead. */
const MAX_COMPILED_SIZE = 400;
/** Each may take its time on a long text, and compiled code counts no steps. */
const MAX_COMPILED_RE2 = 5;
const MAX_VISITS = 10_000;
const MAX_WORK = 200_000;

/**
 * Decides how a schema may be run. Throws `SCHEMA_INVALID` for one that no value could be checked against in
 * reasonable time: a reference that leads back to itself without descending into the value, or branching that
 * multiplies through references. Answers "compiled" where compiled code takes time linear in the value, and
 * "evaluated" where it might not (a recursive schema with overlapping branches) or where compiling is too costly.
 */
export function vet(normal: NormalSchema): "compiled" | "evaluated" {
  const costs = new Map<SchemaObject, number>();
  if (normal.references) for (const schema of reachable(normal)) inPlaceCost(normal, schema, costs, 0);
  if (normal.size > MAX_COMPILED_SIZE || normal.uncompilable) return "evaluated";
  if ([...normal.patterns.values()].filter((matcher) => !matcher.native).length > MAX_COMPILED_RE2)
    return "evaluated";
  return !normal.references || new Visits(normal, costs).areBounded() ? "compiled" : "evaluated";
}

function reachable(normal: NormalSchema): Set<SchemaObject> {
  const seen = new Set<SchemaObject>();
  const stack: Schema[] = [normal.root, ...normal.definitions];
  for (let schema = stack.pop(); schema !== undefined; schema = stack.pop()) {
    if (typeof schema === "boolean" || seen.has(schema)) continue;
    seen.add(schema);
    for (const part of inPlace(schema, normal)) stack.push(part);
    for (const part of onParts(schema)) stack.push(part);
  }
  return seen;
}

/** How many subschemas apply in place, each counted as often as it is reached. 0 marks one being counted. */
function inPlaceCost(
  normal: NormalSchema,
  schema: SchemaObject,
  costs: Map<SchemaObject, number>,
  depth: number,
): number {
  const known = costs.get(schema);
  if (known === 0) throw invalid("#", "refers to itself without descending into the value, so it never ends");
  if (known !== undefined) return known;
  if (depth > MAX_CHAIN)
    throw invalid("#", `chains more than ${MAX_CHAIN} references and branches at one place`);
  costs.set(schema, 0);
  let cost = 1;
  for (const part of inPlace(schema, normal)) {
    cost += typeof part === "boolean" ? 1 : inPlaceCost(normal, part, costs, depth + 1);
    if (cost > MAX_IN_PLACE) throw invalid("#", `applies more than ${MAX_IN_PLACE} subschemas to one value`);
  }
  costs.set(schema, cost);
  return cost;
}

/** How often compiled code, which remembers nothing, may visit one part of a value. */
class Visits {
  readonly #normal: NormalSchema;
  readonly #costs: ReadonlyMap<SchemaObject, number>;
  readonly #known = new Map<SchemaObject, number>();
  #work = 0;
  #recursive = false;
  #overlapping = false;

  constructor(normal: NormalSchema, costs: ReadonlyMap<SchemaObject, number>) {
    this.#normal = normal;
    this.#costs = costs;
  }

  areBounded(): boolean {
    const visits = this.#of(this.#normal.root, 0);
    return visits <= MAX_VISITS && this.#work <= MAX_WORK && !(this.#recursive && this.#overlapping);
  }

  /** Visits along the costliest way down from `schema`; a recursive one counts as what one round costs. */
  #of(schema: Schema, depth: number): number {
    if (typeof schema === "boolean") return 1;
    const known = this.#known.get(schema);
    if (known !== undefined) {
      if (known === 0) this.#recursive = true;
      return known;
    }
    if (depth > MAX_CHAIN || this.#work > MAX_WORK) return Number.POSITIVE_INFINITY;
    this.#known.set(schema, 0);
    let deepest = 0;
    for (const applied of this.#applicators(schema).values()) {
      let visits = 0;
      let composite = 0;
      for (const part of applied) {
        visits += this.#of(part, depth + 1);
        if (typeof part !== "boolean" && this.#isComposite(part)) composite++;
      }
      if (composite > 1) this.#overlapping = true;
      deepest = Math.max(deepest, visits);
    }
    const visits = (this.#costs.get(schema) ?? 1) + deepest;
    this.#known.set(schema, visits);
    return visits;
  }

  /** The subschemas that apply to the same part of a value, for each part that `schema` can tell apart. */
  #applicators(schema: SchemaObject): Map<string, Schema[]> {
    const named = new Map<string, Schema[]>();
    const others: { at: SchemaObject; part: Schema }[] = [];
    const elements: Schema[] = [];
    for (const at of this.#closure(schema)) {
      for (const [name, part] of Object.entries(at.properties ?? {})) {
        const applied = named.get(name);
        if (applied === undefined) named.set(name, [part]);
        else applied.push(part);
      }
      for (const part of Object.values(at.patternProperties ?? {})) others.push({ at: {}, part });
      for (const part of [at.additionalProperties, at.unevaluatedProperties, at.propertyNames]) {
        if (part !== undefined) others.push({ at, part });
      }
      for (const part of [at.items, at.contains, at.unevaluatedItems, ...(at.prefixItems ?? [])]) {
        if (part !== undefined) elements.push(part);
      }
    }
    this.#work += named.size * others.length;
    for (const [name, applied] of named) {
      for (const { at, part } of others) if (at.properties?.[name] === undefined) applied.push(part);
    }
    return named
      .set(
        "*",
        others.map(({ part }) => part),
      )
      .set("[]", elements);
  }

  *#closure(schema: SchemaObject): Generator<SchemaObject> {
    this.#work++;
    yield schema;
    if (this.#work > MAX_WORK) return;
    for (const part of inPlace(schema, this.#normal))
      if (typeof part !== "boolean") yield* this.#closure(part);
  }

  #isComposite(schema: SchemaObject): boolean {
    for (const at of this.#closure(schema)) {
      if (!onParts(at).next().done) return true;
    }
    return false;
  }
}
