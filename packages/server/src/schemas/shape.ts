import type { JsonSchema } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";

/** A field that may be absent. */
interface Maybe {
  readonly maybe: JsonSchema;
}

/** What each field of a type must be given as: with a schema, or with `maybe(schema)` where it may be absent. */
export type FieldsOf<Type> = {
  readonly [Field in keyof Required<Type>]: Record<never, never> extends Pick<Type, Field>
    ? Maybe
    : JsonSchema;
};

export const text = { type: "string" } as const satisfies JsonSchema;
export const number = { type: "number" } as const satisfies JsonSchema;
export const count = { type: "integer", minimum: 0 } as const satisfies JsonSchema;
export const flag = { type: "boolean" } as const satisfies JsonSchema;
/** Any JSON. */
export const anything = {} as const satisfies JsonSchema;
export const object = { type: "object" } as const satisfies JsonSchema;
export const time = {
  type: "number",
  description: "Epoch milliseconds",
} as const satisfies JsonSchema;
export const duration = { type: "number", description: "Milliseconds" } as const satisfies JsonSchema;

export function maybe(schema: JsonSchema): Maybe {
  return { maybe: schema };
}

export function list(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

export function oneOf(...values: readonly string[]): JsonSchema {
  return { type: "string", enum: values };
}

export function textUpTo(maxLength: number, description?: string): JsonSchema {
  return { type: "string", maxLength, ...defined({ description }) };
}

/** Line breaks, escapes and what changes the direction of writing: an id with one reads as something else where it is shown. */
const UNSEEN = "\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff";

/** A name that whoever asks gives to something. */
export function idUpTo(maxLength: number, description?: string): JsonSchema {
  return { ...textUpTo(maxLength, description), minLength: 1, pattern: `^[^${UNSEEN}]+$` };
}

/** Any of these names, with commas between them. */
export function someOf({ enum: names }: JsonSchema, description: string): JsonSchema {
  const name = `(?:${(names as string[]).join("|")})`;
  return { ...textUpTo(200, description), pattern: `^(?:${name}(?:,${name})*)?$` };
}

/** By name among the components of the document. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema of a type. A field that the type has and this does not, or the other way round, does not compile. */
export function shape<Type>(fields: FieldsOf<Type>, description?: string): JsonSchema {
  return objectOf(fields as Readonly<Record<string, JsonSchema | Maybe>>, description);
}

/** As `shape`, of what is taken: other fields are refused. */
export function taken<Type>(fields: FieldsOf<Type>, description?: string): JsonSchema {
  return { ...shape<Type>(fields, description), additionalProperties: false };
}

function objectOf(fields: Readonly<Record<string, JsonSchema | Maybe>>, description?: string): JsonSchema {
  const entries = Object.entries(fields).map(([name, field]) => ({ name, field }));
  const required = entries.filter(({ field }) => !isMaybe(field)).map(({ name }) => name);
  return {
    type: "object",
    ...defined({ description }),
    properties: Object.fromEntries(
      entries.map(({ name, field }) => [name, isMaybe(field) ? field.maybe : field]),
    ),
    ...(required.length > 0 && { required }),
  };
}

function isMaybe(field: JsonSchema | Maybe): field is Maybe {
  return "maybe" in field;
}
