import type { JsonSchema } from "@toolrig/core";
import { isRecord } from "@toolrig/core/kit";
import { docComment } from "./doc-comment.ts";

/** The types that one schema needs, as TypeScript. */
export interface TypeText {
  /** Of the schema itself. */
  type: string;
  /** Declarations that `type` refers to: parts of the schema that are referred to by name, recursive ones among them. */
  named: string[];
  /** Whether something was left out because it lay too deep or was too much. It is `any` there. */
  cut: boolean;
}

/** How far a schema is followed: levels of nesting, and schemas in all. */
export interface TypeBounds {
  depth: number;
  nodes: number;
}

/** How many values of an enumeration are written out. */
const MAX_VALUES = 60;
const MAX_PROPERTIES = 200;
const CUT = "any /* cut: too large to be shown */";
/** Names that mean something else before a bracket, or at all. */
const MODIFIERS: ReadonlySet<string> = new Set([
  "new",
  "get",
  "set",
  "readonly",
  "static",
  "async",
  "__proto__",
]);
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/**
 * JSON Schema 2020-12 as a TypeScript type. What types cannot say (patterns, bounds, `not`, conditions) is left out, so that
 * every value which the schema accepts has the type. `prefix` begins the names of the types that it declares, and `taken`
 * holds those that there are.
 */
export function typeText(
  schema: JsonSchema | boolean,
  prefix: string,
  taken: Set<string>,
  bounds: TypeBounds,
): TypeText {
  const writer = new TypeWriter(schema, prefix, taken, bounds);
  return { type: writer.write(schema, "  "), named: writer.declarations(), cut: writer.cut };
}

/** As a member is written: quoted where it is no identifier. */
export function memberName(name: string): string {
  return IDENTIFIER.test(name) && !MODIFIERS.has(name) ? name : literal(name);
}

/** A value as a literal type. What ends a line for TypeScript and not for JSON is escaped. */
function literal(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")
    .replaceAll(/\p{Cf}/gu, escapeOf);
}

function escapeOf(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");
}

/** A part that is referred to: its name and type, and which others it is made of without an object or a list between. */
interface Named {
  name: string;
  text: string;
  direct: Set<string>;
}

class TypeWriter {
  readonly #root: JsonSchema | boolean;
  readonly #prefix: string;
  readonly #taken: Set<string>;
  readonly #depth: number;
  #nodes: number;
  readonly #named = new Map<string, Named>();
  /** References that are being followed, one directly within the other: what refers back to them would be circular. */
  #open: string[] = [];
  cut = false;

  constructor(root: JsonSchema | boolean, prefix: string, taken: Set<string>, { depth, nodes }: TypeBounds) {
    this.#root = root;
    this.#prefix = prefix;
    this.#taken = taken;
    this.#depth = depth;
    this.#nodes = nodes;
  }

  declarations(): string[] {
    return [...this.#named.values()].map(({ name, text }) => `type ${name} = ${text};`);
  }

  /** The type of a schema. `indent` is that of the members of an object, and tells how deep it is. */
  write(schema: unknown, indent: string): string {
    if (schema === true) return "unknown";
    if (schema === false) return "never";
    if (!isRecord(schema)) return "unknown";
    this.#nodes -= 1;
    if (this.#nodes < 0 || indent.length / 2 > this.#depth) {
      this.cut = true;
      return CUT;
    }
    const parts = [
      ...this.#reference(schema),
      ...this.#values(schema),
      ...this.#shapes(schema, indent),
      ...this.#combined(schema, indent),
    ];
    return parts.length === 0 ? "unknown" : joined(parts, "&");
  }

  #reference({ $ref }: JsonSchema): string[] {
    if (typeof $ref !== "string") return [];
    if (this.#isCircular($ref, new Set())) return ["unknown"];
    const target = $ref.startsWith("#") ? pointed(this.#root, $ref.slice(1)) : undefined;
    if (target === undefined) return ["unknown"];
    const owner = this.#open.at(-1);
    if (owner !== undefined) this.#named.get(owner)?.direct.add($ref);
    const known = this.#named.get($ref);
    if (known !== undefined) return [known.name];
    const entry: Named = { name: this.#nameFor($ref), text: "unknown", direct: new Set() };
    this.#named.set($ref, entry);
    this.#open.push($ref);
    entry.text = this.write(target, "  ");
    this.#open.pop();
    return [entry.name];
  }

  /** TypeScript refuses a type that is made of itself with no object or list between. */
  #isCircular(ref: string, seen: Set<string>): boolean {
    if (this.#open.includes(ref)) return true;
    if (this.#open.length === 0 || seen.has(ref)) return false;
    seen.add(ref);
    return [...(this.#named.get(ref)?.direct ?? [])].some((each) => this.#isCircular(each, seen));
  }

  /** The type of what is inside an object or a list, which may refer to what it is part of. */
  #inside(schema: unknown, indent: string): string {
    const open = this.#open;
    this.#open = [];
    const type = this.write(schema, indent);
    this.#open = open;
    return type;
  }

  #nameFor(ref: string): string {
    const last = ref.split("/").at(-1) ?? "";
    const base = `${this.#prefix}${pascal(last === "#" ? "" : last)}`;
    for (let count = 1; ; count++) {
      const name = count === 1 ? base : `${base}${count}`;
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      return name;
    }
  }

  #values(schema: JsonSchema): string[] {
    if ("const" in schema) return [literal(schema.const)];
    if (!Array.isArray(schema.enum)) return [];
    if (schema.enum.length <= MAX_VALUES)
      return [joined([...new Set(schema.enum.map(literal))], "|") || "never"];
    const kinds = [...new Set(schema.enum.map(kindOf))];
    return [`${joined(kinds, "|")} /* one of ${schema.enum.length} values */`];
  }

  /** By `type`, or by the keywords that speak of one. Values that are listed need no more. */
  #shapes(schema: JsonSchema, indent: string): string[] {
    if ("const" in schema || Array.isArray(schema.enum)) return [];
    const { type } = schema;
    const types = typeof type === "string" ? [type] : Array.isArray(type) ? type : impliedTypes(schema);
    if (types.length === 0) return [];
    const texts = types.map((each) => this.#shape(each, schema, indent));
    return [joined([...new Set(texts)], "|")];
  }

  #shape(type: unknown, schema: JsonSchema, indent: string): string {
    switch (type) {
      case "string":
      case "boolean":
      case "null":
        return type;
      case "number":
      case "integer":
        return "number";
      case "array":
        return this.#array(schema, indent);
      case "object":
        return this.#object(schema, indent);
      default:
        return "unknown";
    }
  }

  #array({ items, prefixItems, minItems }: JsonSchema, indent: string): string {
    if (!Array.isArray(prefixItems) || prefixItems.length === 0)
      return items === undefined ? "unknown[]" : `${atom(this.#inside(items, indent))}[]`;
    const required = typeof minItems === "number" ? minItems : prefixItems.length;
    const places = prefixItems
      .slice(0, MAX_VALUES)
      .map((each, index) => `${atom(this.#inside(each, indent))}${index < required ? "" : "?"}`);
    const rest = prefixItems.length > MAX_VALUES || items === undefined ? true : items;
    if (rest !== false) places.push(`...${atom(this.#inside(rest, indent))}[]`);
    return `[${places.join(", ")}]`;
  }

  #object(schema: JsonSchema, indent: string): string {
    const properties = isRecord(schema.properties) ? schema.properties : {};
    const required = new Set(Array.isArray(schema.required) ? schema.required.filter(isString) : []);
    const names = [...new Set([...Object.keys(properties), ...required])];
    const open = this.#additional(schema, indent);
    if (names.length === 0) return open === undefined ? openObject(schema) : `{ [key: string]: ${open} }`;
    const types: string[] = [];
    const members = names.slice(0, MAX_PROPERTIES).map((name) => {
      const each = Object.hasOwn(properties, name) ? properties[name] : true;
      const type = this.#inside(each, `${indent}  `);
      types.push(type);
      const comment = docComment(isRecord(each) ? describe(each) : undefined, indent);
      return `${comment}${indent}${memberName(name)}${required.has(name) ? "" : "?"}: ${type};\n`;
    });
    if (names.length > MAX_PROPERTIES) {
      this.cut = true;
      members.push(`${indent}[key: string]: any; /* cut: ${names.length - MAX_PROPERTIES} more */\n`);
    } else if (open !== undefined) {
      // An index covers the members as well, those that may be left out among them.
      const all = joined([...new Set([...types, open, "undefined"])], "|");
      members.push(`${indent}[key: string]: ${all};\n`);
    }
    return `{\n${members.join("")}${indent.slice(2)}}`;
  }

  /** The type of what an object may have besides its properties; undefined where that is not said. */
  #additional({ additionalProperties, patternProperties }: JsonSchema, indent: string): string | undefined {
    const patterns = isRecord(patternProperties) ? Object.values(patternProperties) : [];
    const others =
      isRecord(additionalProperties) || additionalProperties === true ? [additionalProperties] : [];
    const types = [...patterns, ...others].map((each) => this.#inside(each, `${indent}  `));
    return types.length === 0 ? undefined : joined([...new Set(types)], "|");
  }

  #combined(schema: JsonSchema, indent: string): string[] {
    const parts: string[] = [];
    for (const keyword of ["anyOf", "oneOf"] as const) {
      const branches = schema[keyword];
      if (!Array.isArray(branches) || branches.length === 0) continue;
      const shown = branches.slice(0, MAX_VALUES).map((each) => this.write(each, indent));
      if (branches.length > MAX_VALUES) {
        this.cut = true;
        shown.push(CUT);
      }
      parts.push(joined([...new Set(shown)], "|"));
    }
    if (Array.isArray(schema.allOf))
      parts.push(...schema.allOf.slice(0, MAX_VALUES).map((each) => this.write(each, indent)));
    return parts.filter((part) => part !== "unknown");
  }
}

/** An object that says nothing of its members takes any; one that allows no others has none. */
function openObject({ additionalProperties }: JsonSchema): string {
  return additionalProperties === false ? "Record<string, never>" : "Record<string, unknown>";
}

/** Keywords that speak of one type mean it, where no type is named: models write such values, and tools mean them. */
function impliedTypes(schema: JsonSchema): string[] {
  if (isRecord(schema.properties) || isRecord(schema.additionalProperties)) return ["object"];
  if (schema.items !== undefined || schema.prefixItems !== undefined) return ["array"];
  return [];
}

function describe({ description, default: usual }: JsonSchema): string | undefined {
  const text = typeof description === "string" ? description : "";
  if (usual === undefined) return text;
  const shown = literal(usual);
  return shown.length > 80 ? text : `${text}${text === "" ? "D" : " D"}efault ${shown}.`;
}

/** Types as one. An operand of `&`, or one that an array is made of, stands in brackets where it has to. */
function joined(types: readonly string[], operator: "|" | "&"): string {
  const [only] = types;
  if (types.length === 1 && only !== undefined) return only;
  if (operator === "|" && types.includes("unknown")) return "unknown";
  return types.map((type) => (operator === "&" ? atom(type) : type)).join(` ${operator} `);
}

/** Brackets around a union or an intersection; those inside an object or a string do not matter, and do no harm. */
function atom(type: string): string {
  return /[|&]/.test(type) ? `(${type})` : type;
}

function pointed(root: unknown, pointer: string): unknown {
  if (pointer === "") return root;
  if (!pointer.startsWith("/")) return undefined;
  let at: unknown = root;
  for (const token of pointer.slice(1).split("/")) {
    const key = unescaped(token);
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

function unescaped(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return token;
  }
}

/** A name as part of an identifier: only what an identifier may have is kept of it. */
export function pascal(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  const kind = typeof value;
  return kind === "string" || kind === "number" || kind === "boolean" ? kind : "unknown";
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
