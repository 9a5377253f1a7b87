import type { JsonSchema } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";

const TYPES = ["string", "number", "integer", "boolean", "object", "any"] as const;
const FIELD_TYPES = TYPES.flatMap((type) => [type, `${type}[]`] as const);

/** One argument of a tool that a model makes, or one part of its result. */
export interface Field {
  name: string;
  type: (typeof FIELD_TYPES)[number];
  description?: string;
  /** Default false. */
  optional?: boolean;
  /** The only texts that it takes. For "string" and "string[]". */
  values?: readonly string[];
}

/** How many of one kind a tool may have. */
const MAX_FIELDS = 50;

/** What a model may write as a list of fields. */
export function fieldsSchema(description: string) {
  return {
    type: "array",
    description,
    maxItems: MAX_FIELDS,
    items: {
      type: "object",
      properties: {
        name: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]{0,63}$", description: "Of the field." },
        type: { type: "string", enum: FIELD_TYPES, description: '"string[]" is a list of strings.' },
        description: { type: "string", maxLength: 500, description: "What goes into the field." },
        optional: { type: "boolean", description: "Default false." },
        values: {
          type: "array",
          items: { type: "string", maxLength: 200 },
          minItems: 1,
          maxItems: 100,
          description: "The only texts that it takes. For string and string[].",
        },
      },
      required: ["name", "type"],
      additionalProperties: false,
    },
  } as const;
}

/** The JSON Schema of an object with these fields and no others. */
export function schemaOf(fields: readonly Field[]): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
    required: fields.filter(({ optional }) => optional !== true).map(({ name }) => name),
    additionalProperties: false,
  };
}

function propertyOf({ type, description, values }: Field): JsonSchema {
  const item = type.replace("[]", "");
  const one = {
    ...(item !== "any" && { type: item }),
    ...defined({ enum: values }),
  };
  return {
    ...(type.endsWith("[]") ? { type: "array", items: one } : one),
    ...defined({ description }),
  };
}

/** What the schema of fields cannot say. Undefined: nothing. */
export function problemWithFields(what: string, fields: readonly Field[]): string | undefined {
  const seen = new Set<string>();
  for (const { name, type, values } of fields) {
    if (seen.has(name)) return `${what} has two fields "${name}". Rename one.`;
    if (name === "__proto__") return `${what} cannot have a field "__proto__". Rename it.`;
    if (values !== undefined && !type.startsWith("string"))
      return `Field "${name}" of ${what} has values, which only string and string[] can. Leave them out.`;
    seen.add(name);
  }
  return undefined;
}
