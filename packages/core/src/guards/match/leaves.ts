import { toPlain } from "../../plain.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";

/** A scalar in a call's arguments, or a key that is data. */
export interface Leaf {
  /** For people: "to.0.email". */
  readonly path: string;
  /** The names of the parameters that lead to it, without positions in lists. */
  readonly names: readonly string[];
  /** Undefined for what cannot be compared with anything that was said: too deep, too much, or no plain data. */
  readonly value: string | number | boolean | null | undefined;
}

const MAX_DEPTH = 32;
const MAX_LEAVES = 1_000;

/**
 * Every scalar in the arguments of a tool. Keys that its schema does not name are data like any other: a recipient can
 * hide in one. What lies too deep, or beyond the first thousand, is one leaf that nobody said.
 */
export function leavesOf(args: unknown, schema: JsonSchema): Leaf[] {
  const named = namesIn(schema);
  const leaves: Leaf[] = [];

  function visit(value: unknown, path: readonly string[], names: readonly string[]): void {
    if (leaves.length >= MAX_LEAVES) return;
    const at = path.join(".");
    if (typeof value === "bigint") leaves.push({ path: at, names, value: value.toString() });
    else if (
      typeof value === "string" ||
      typeof value === "number" ||
      typeof value === "boolean" ||
      value === null
    )
      leaves.push({ path: at, names, value });
    else if (typeof value !== "object") {
      if (value !== undefined) leaves.push({ path: at, names, value: undefined });
    } else if (path.length >= MAX_DEPTH) leaves.push({ path: at, names, value: undefined });
    else if (Array.isArray(value))
      for (const [index, item] of value.entries()) visit(item, [...path, String(index)], names);
    else visitObject(plainObject(value), path, names);
  }

  function visitObject(value: unknown, path: readonly string[], names: readonly string[]): void {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      visit(value, path, names);
      return;
    }
    const entries = Object.entries(value);
    if (entries.length === 0 && path.length > 0)
      leaves.push({ path: path.join("."), names, value: undefined });
    for (const [key, item] of entries) {
      if (isData(key, path.length)) leaves.push({ path: path.join("."), names: [...names, key], value: key });
      visit(item, [...path, key], [...names, key]);
    }
  }

  /** Parameters of a tool that lists none have the names their caller gives them. */
  const isData = (key: string, depth: number) => !named.has(key) && !(depth === 0 && named.size === 0);

  visit(args, [], []);
  if (leaves.length >= MAX_LEAVES) leaves.push({ path: "the rest", names: [], value: undefined });
  return leaves;
}

/** A schema may make dates, maps and addresses of what the model wrote: they count as the text they stand for. */
function plainObject(value: object): unknown {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? value : toPlain(value);
}

const vocabularies = new WeakMap<JsonSchema, ReadonlySet<string>>();
const MAX_SCHEMAS = 10_000;

/** Every property that a schema names, anywhere in it. */
function namesIn(schema: JsonSchema): ReadonlySet<string> {
  let names = vocabularies.get(schema);
  if (names === undefined) {
    names = collectNames(schema);
    vocabularies.set(schema, names);
  }
  return names;
}

function collectNames(schema: JsonSchema): Set<string> {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const waiting: unknown[] = [schema];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== "object" || next === null || seen.has(next) || seen.size >= MAX_SCHEMAS) continue;
    seen.add(next);
    for (const [keyword, value] of Object.entries(next)) {
      if (keyword === "properties" && typeof value === "object" && value !== null && !Array.isArray(value))
        for (const name of Object.keys(value)) names.add(name);
      if (typeof value === "object" && value !== null) waiting.push(value);
    }
  }
  return names;
}
