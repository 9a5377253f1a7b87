/** JSON Schema as it comes: anything may be in it. */
export type Schema = Readonly<Record<string, unknown>>;

export interface Field {
  name: string;
  schema: Schema;
  required: boolean;
}

/** What a part of a form looks like. "json" is for what no form is made of: an editor of its text. */
export type Shape =
  | { kind: "text"; format: string; long: boolean }
  | { kind: "number"; integer: boolean }
  | { kind: "flag" }
  | { kind: "null" }
  | { kind: "choice"; values: readonly unknown[] }
  | { kind: "object"; fields: readonly Field[] }
  | { kind: "list"; items: Schema }
  | { kind: "union"; branches: readonly { label: string; schema: Schema }[] }
  | { kind: "json" };

/** Schemas may be a stranger's: what goes deeper, or round in circles, is edited as JSON. */
const MAX_STEPS = 32;
/** So many fields are filled in before anybody typed. */
const MAX_BLANKS = 500;
const JSON_SHAPE: Shape = { kind: "json" };
/** What changes which values are taken, and a form does not show. */
const BEYOND_FORMS = [
  "patternProperties",
  "dependentSchemas",
  "dependentRequired",
  "propertyNames",
  "if",
  "not",
  "unevaluatedProperties",
  "$dynamicRef",
];

/** The shape of a form for a schema; `root` is the whole, in which references are looked up. */
export function shapeOf(given: Schema, root: Schema, steps = 0): Shape {
  const schema = steps > MAX_STEPS ? undefined : resolved(given, root);
  if (schema === undefined || BEYOND_FORMS.some((keyword) => keyword in schema)) return JSON_SHAPE;
  if ("const" in schema) return { kind: "choice", values: [schema.const] };
  if (Array.isArray(schema.enum)) return { kind: "choice", values: schema.enum };
  const branches = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(branches)) return unionOf(branches, schema, root, steps);
  if (Array.isArray(schema.type)) {
    const each = schema.type.map((type) => ({ ...schema, type }));
    return each.length === 1 ? shapeOf(each[0] as Schema, root, steps + 1) : unionOf(each, {}, root, steps);
  }
  return ofType(schema);
}

function ofType(schema: Schema): Shape {
  switch (schema.type) {
    case "string": {
      const most = typeof schema.maxLength === "number" ? schema.maxLength : Number.POSITIVE_INFINITY;
      const format = typeof schema.format === "string" ? schema.format : "";
      return { kind: "text", format, long: format === "" && most > 200 };
    }
    case "number":
    case "integer":
      return { kind: "number", integer: schema.type === "integer" };
    case "boolean":
      return { kind: "flag" };
    case "null":
      return { kind: "null" };
    case "array":
      return isSchema(schema.items) && !("prefixItems" in schema)
        ? { kind: "list", items: schema.items }
        : JSON_SHAPE;
    case "object":
      return objectOf(schema);
    default:
      return isSchema(schema.properties) ? objectOf(schema) : JSON_SHAPE;
  }
}

/** Names that a schema leaves open are for the JSON editor: a form could not show them. */
function objectOf(schema: Schema): Shape {
  const { properties, additionalProperties } = schema;
  if (isSchema(additionalProperties)) return JSON_SHAPE;
  if (!isSchema(properties))
    return additionalProperties === false ? { kind: "object", fields: [] } : JSON_SHAPE;
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = Object.entries(properties).map(([name, each]) => ({
    name,
    schema: isSchema(each) ? each : {},
    required: required.has(name),
  }));
  return { kind: "object", fields };
}

function unionOf(branches: readonly unknown[], around: Schema, root: Schema, steps: number): Shape {
  const { oneOf: _, anyOf: __, ...shared } = around;
  const schemas = branches.flatMap((branch) => (isSchema(branch) ? [joined(shared, branch)] : []));
  if (schemas.length !== branches.length || schemas.length === 0) return JSON_SHAPE;
  if (schemas.length === 1) return shapeOf(schemas[0] as Schema, root, steps + 1);
  return {
    kind: "union",
    branches: schemas.map((schema, index) => ({ label: labelOf(schema, root, index), schema })),
  };
}

/** By what a branch is told from the others: its title, what it fixes, its type. */
function labelOf(given: Schema, root: Schema, index: number): string {
  const schema = resolved(given, root) ?? {};
  if (typeof schema.title === "string" && schema.title !== "") return schema.title;
  if ("const" in schema) return JSON.stringify(schema.const);
  if (isSchema(schema.properties)) {
    for (const each of Object.values(schema.properties))
      if (isSchema(each) && typeof each.const === "string") return each.const;
    const [first] = Array.isArray(schema.required) ? schema.required : Object.keys(schema.properties);
    if (typeof first === "string") return `with ${first}`;
  }
  return typeof schema.type === "string" ? schema.type : `choice ${index + 1}`;
}

/** Without references and `allOf`; undefined where that cannot be done. */
export function resolved(given: Schema, root: Schema, steps = { left: MAX_STEPS }): Schema | undefined {
  let schema: Schema | undefined = given;
  while (schema !== undefined && typeof schema.$ref === "string") {
    if (steps.left-- <= 0) return undefined;
    const { $ref, ...beside }: Schema = schema;
    const target = lookUp(String($ref), root);
    schema = target === undefined ? undefined : joined(target, beside);
  }
  if (schema === undefined || !Array.isArray(schema.allOf)) return schema;
  const { allOf, ...rest } = schema;
  let all: Schema = rest;
  for (const part of allOf as unknown[]) {
    const one = isSchema(part) && steps.left-- > 0 ? resolved(part, root, steps) : undefined;
    if (one === undefined || "enum" in one || "oneOf" in one || "anyOf" in one) return undefined;
    all = joined(all, one);
  }
  return all;
}

function joined(one: Schema, other: Schema): Schema {
  const both: Record<string, unknown> = { ...one, ...other };
  if (isSchema(one.properties) && isSchema(other.properties))
    both.properties = { ...one.properties, ...other.properties };
  if (Array.isArray(one.required) && Array.isArray(other.required))
    both.required = [...one.required, ...other.required];
  return both;
}

function lookUp(reference: string, root: Schema): Schema | undefined {
  if (!reference.startsWith("#")) return undefined;
  let at: unknown = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    at = isSchema(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return isSchema(at) ? at : undefined;
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a form begins with: defaults, and what is required and can be empty. */
export function blankOf(given: Schema, root: Schema = given, budget = { left: MAX_BLANKS }): unknown {
  const schema = budget.left-- > 0 ? resolved(given, root) : undefined;
  if (schema === undefined) return undefined;
  if ("default" in schema) return schema.default;
  const shape = shapeOf(schema, root);
  if (shape.kind === "list") return [];
  if (shape.kind === "choice" && shape.values.length === 1) return shape.values[0];
  if (shape.kind !== "object") return undefined;
  const fields = shape.fields.flatMap(({ name, schema: each, required }) => {
    const isGiven = "default" in (resolved(each, root) ?? {});
    const value = required || isGiven ? blankOf(each, root, budget) : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(fields);
}
