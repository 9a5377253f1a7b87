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
 * data like any other: a recipient can hide in one. Only where a schema says nothing at all of its parameters is a key that
 * reads like the name of one taken for that. `declared` are names that somebody else than the schema gives, such as sinks.
 * Takes time that grows with the arguments alone.
 */
export function leavesOf(args: unknown, schema: JsonSchema, declared: readonly string[] = []): Leaf[] {
  const known = vocabularyOf(schema);
  const vocabulary =
    declared.length === 0 ? known : { ...known, names: new Set([...known.names, ...declared]) };
  const leaves: Leaf[] = [];
  const waiting: Place[] = [{ value: args, path: "", names: [], depth: 0 }];
  let visited = 0;
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    visited += 1;
    if (visited > MAX_VALUES) {
      leaves.push({ path: "the rest", names: [], value: undefined, unread: true });
      break;
    }
    const children = visit(place, vocabulary, leaves);
    for (let index = children.length - 1; index >= 0; index--) waiting.push(children[index] as Place);
  }
  return leaves;
}

const NO_CHILDREN: readonly Place[] = [];

/** Notes the leaves of one place, and gives the places in it. */
function visit(place: Place, vocabulary: Vocabulary, leaves: Leaf[]): readonly Place[] {
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
    return isName(key, depth, vocabulary)
      ? [{ value: item, ...inside }]
      : [
          { value: key, path: path === "" ? "a key" : path, names: inside.names, depth },
          { value: item, ...inside },
        ];
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

/** The words of a schema. */
interface Vocabulary {
  /** Every property that it names, anywhere in it. */
  readonly names: ReadonlySet<string>;
  /** It names none and says nothing of any, so its parameters have the names that their caller gives them. */
  readonly isOpen: boolean;
}

/** What a parameter is called, and no address, path, number or sentence. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

function isName(key: string, depth: number, { names, isOpen }: Vocabulary): boolean {
  return names.has(key) || (isOpen && depth === 0 && IDENTIFIER.test(key));
}

const vocabularies = new WeakMap<JsonSchema, Vocabulary>();
const MAX_SCHEMAS = 10_000;

function vocabularyOf(schema: JsonSchema): Vocabulary {
  let vocabulary = vocabularies.get(schema);
  if (vocabulary === undefined) {
    vocabulary = collectWords(schema);
    vocabularies.set(schema, vocabulary);
  }
  return vocabulary;
}

/** Keywords by which a schema describes a map, whose keys are its data. */
const OF_MAPS: ReadonlySet<string> = new Set([
  "additionalProperties",
  "unevaluatedProperties",
  "patternProperties",
]);

function collectWords(schema: JsonSchema): Vocabulary {
  const names = new Set<string>();
  let isMap = false;
  const seen = new Set<unknown>();
  const waiting: unknown[] = [schema];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== "object" || next === null || seen.has(next) || seen.size >= MAX_SCHEMAS) continue;
    seen.add(next);
    for (const [keyword, value] of Object.entries(next)) {
      if (typeof value !== "object" || value === null) continue;
      waiting.push(value);
      if (keyword === "properties" && !Array.isArray(value))
        for (const name of Object.keys(value)) names.add(name);
      if (OF_MAPS.has(keyword) && Object.keys(value).length > 0) isMap = true;
    }
  }
  return { names, isOpen: names.size === 0 && !isMap };
}
