import { isRecord } from "@toolrig/json/kit";

/** The part of a tool definition that extraction reads. */
export interface ExtractTool {
  readonly name: string;
  /** JSON Schema of the arguments. Without one, every parameter is of unknown type. */
  readonly inputSchema?: unknown;
}

export type JsonType = "null" | "integer" | "number" | "boolean" | "object" | "array" | "string";

const TYPE_NAMES = new Map<string, JsonType>([
  ["null", "null"],
  ["integer", "integer"],
  ["int", "integer"],
  ["number", "number"],
  ["float", "number"],
  ["boolean", "boolean"],
  ["bool", "boolean"],
  ["object", "object"],
  ["dict", "object"],
  ["array", "array"],
  ["list", "array"],
  ["string", "string"],
  ["str", "string"],
]);

/** How many parts of a schema are looked at for the types of one value. */
const MAX_SCHEMA_PARTS = 200;

/**
 * The tools a text may call. Names are looked up in a Map, so that `constructor` or `__proto__` is a tool only when
 * somebody registered one of that name.
 */
export class ToolIndex {
  readonly #tools = new Map<string, ExtractTool>();

  constructor(tools: readonly ExtractTool[]) {
    for (const tool of tools) this.#tools.set(tool.name, tool);
  }

  get size(): number {
    return this.#tools.size;
  }

  get names(): Iterable<string> {
    return this.#tools.keys();
  }

  get(name: string): ExtractTool | undefined {
    return this.#tools.get(name);
  }

  /** The tool a model meant by `name`: as written, or without the namespace that some templates put before it. */
  resolve(name: string): ExtractTool | undefined {
    const exact = this.#tools.get(name);
    if (exact !== undefined) return exact;
    for (const prefix of ["functions.", "default_api.", "tools."]) {
      if (name.startsWith(prefix)) return this.#tools.get(name.slice(prefix.length));
    }
    const dot = name.indexOf(".");
    if (dot > 0 && name.slice(0, dot) === name.slice(dot + 1)) return this.#tools.get(name.slice(0, dot));
    return undefined;
  }
}

/** The schema of one parameter, or undefined if the tool does not declare it. */
export function parameterSchema(tool: ExtractTool, name: string): unknown {
  return propertySchema(tool.inputSchema, name);
}

/** The schema of a property of an object schema, own properties only. */
export function propertySchema(schema: unknown, name: string): unknown {
  const properties = member(schema, "properties");
  return member(properties, name);
}

/** The names of a tool's parameters in the order in which the schema declares them. */
export function parameterNames(tool: ExtractTool): string[] {
  const properties = member(tool.inputSchema, "properties");
  return isRecord(properties) ? Object.keys(properties) : [];
}

/** The names of the parameters without which a tool cannot be called. */
export function requiredNames(tool: ExtractTool): string[] {
  const required = member(tool.inputSchema, "required");
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** The JSON types a schema allows; empty if it does not say. References are followed inside `root` only. */
export function typesOf(schema: unknown, root: unknown): ReadonlySet<JsonType> {
  const types = new Set<JsonType>();
  collectTypes(schema, root, types, new Set());
  return types;
}

/** Looks at each part of the schema once, however often it refers to itself. */
function collectTypes(schema: unknown, root: unknown, types: Set<JsonType>, seen: Set<unknown>): void {
  if (!isRecord(schema) || seen.size >= MAX_SCHEMA_PARTS || seen.has(schema)) return;
  seen.add(schema);
  const type = member(schema, "type");
  for (const name of Array.isArray(type) ? type : [type]) {
    const known = typeof name === "string" ? TYPE_NAMES.get(name) : undefined;
    if (known !== undefined) types.add(known);
  }
  const reference = member(schema, "$ref");
  if (typeof reference === "string") collectTypes(resolveReference(reference, root), root, types, seen);
  for (const keyword of ["anyOf", "oneOf", "allOf"]) {
    const branches = member(schema, keyword);
    if (Array.isArray(branches)) for (const branch of branches) collectTypes(branch, root, types, seen);
  }
  if (types.size > 0) return;
  const values =
    member(schema, "enum") ?? (Object.hasOwn(schema, "const") ? [member(schema, "const")] : undefined);
  if (Array.isArray(values)) for (const value of values) types.add(typeOf(value));
  else if (member(schema, "properties") !== undefined) types.add("object");
  else if (member(schema, "items") !== undefined) types.add("array");
}

function resolveReference(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return undefined;
  let target = root;
  for (const step of reference.slice(1).split("/").filter(Boolean)) {
    target = member(target, step.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return target;
}

function typeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "boolean") return "boolean";
  return typeof value === "string" ? "string" : "object";
}

function member(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
