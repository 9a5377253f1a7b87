import { toPlain } from "../../plain.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";

/** A scalar in a call's arguments, or a key that is data. */
export interface Leaf {
  /** For people: "to.0.email". Of what lies deeper than anybody names, the place where it begins. */
  readonly path: string;
  /** The names of the parameters that lead to it, without positions in lists. */
  readonly names: readonly string[];
  /** Undefined for what cannot be compared with anything that was said: nothing at all, or no plain data. */
  readonly value: string | number | boolean | null | undefined;
  /** It stands for all that was not looked at: it could be anything, in any parameter. */
  readonly unread?: true;
}

/** How many levels are told apart in `path` and `names`. What lies deeper is looked at like the rest. */
const NAMED_LEVELS = 32;
/** What holds itself has no end. */
const MAX_VALUES = 1_000_000;

interface Place {
  readonly value: unknown;
  readonly path: string;
  readonly names: readonly string[];
  readonly depth: number;
}

/**
 * Every scalar in the arguments of a tool, however many and however deep, in order. Keys that its schema does not name are
 * data like any other: a recipient can hide in one. Takes time that grows with the arguments alone.
 */
export function leavesOf(args: unknown, schema: JsonSchema): Leaf[] {
  const named = namesIn(schema);
  const leaves: Leaf[] = [];
  const waiting: Place[] = [{ value: args, path: "", names: [], depth: 0 }];
  let visited = 0;
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    visited += 1;
    if (visited > MAX_VALUES) {
      leaves.push({ path: "the rest", names: [], value: undefined, unread: true });
      break;
    }
    const children = visit(place, named, leaves);
    for (let index = children.length - 1; index >= 0; index--) waiting.push(children[index] as Place);
  }
  return leaves;
}

const NO_CHILDREN: readonly Place[] = [];

/** Notes the leaves of one place, and gives the places in it. */
function visit(place: Place, named: ReadonlySet<string>, leaves: Leaf[]): readonly Place[] {
  const { value, path, names, depth } = place;
  const leaf = (what: Leaf["value"]) => {
    leaves.push({ path, names, value: what });
    return NO_CHILDREN;
  };
  switch (typeof value) {
    case "undefined":
      return NO_CHILDREN;
    case "string":
    case "number":
    case "boolean":
      return leaf(value);
    case "bigint":
      return leaf(value.toString());
    case "object":
      break;
    default:
      return leaf(undefined);
  }
  if (value === null) return leaf(null);
  if (Array.isArray(value))
    return value.map((item, index) => ({
      value: item,
      path: below(place, String(index)),
      names,
      depth: depth + 1,
    }));
  const plain = shown(value);
  if (plain !== value) return [{ ...place, value: plain }];
  const entries = Object.entries(value);
  if (entries.length === 0 && depth > 0) return leaf(undefined);
  return entries.flatMap(([key, item]): Place[] => {
    const inside = {
      path: below(place, key),
      names: depth < NAMED_LEVELS ? [...names, key] : names,
      depth: depth + 1,
    };
    // Parameters of a tool that lists none have the names their caller gives them.
    const isData = !named.has(key) && !(depth === 0 && named.size === 0);
    return isData
      ? [
          { value: key, path, names: inside.names, depth },
          { value: item, ...inside },
        ]
      : [{ value: item, ...inside }];
  });
}

function below({ path, depth }: Place, level: string): string {
  if (depth >= NAMED_LEVELS) return path;
  return depth === 0 ? level : `${path}.${level}`;
}

/** A schema may make dates, maps and addresses of what the model wrote: they count as what they stand for. */
function shown(value: object): unknown {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return value;
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return toJSON.call(value);
  return Object.keys(value).length > 0 && !ArrayBuffer.isView(value) ? value : toPlain(value);
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
