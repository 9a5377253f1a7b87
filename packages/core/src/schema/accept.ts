import { ToolrigError } from "../failure/failure.ts";
import { isRecord } from "../is-record.ts";
import { aiSdkParser, isAiSdkSchema } from "./ai-sdk.ts";
import type { JsonSchema } from "./json-schema.ts";
import {
  isStandardSchema,
  type StandardProps,
  type StandardResult,
  type StandardSchema,
} from "./standard.ts";
import { parserOf } from "./standard-parser.ts";
import { messageOf, toJsonSchema, unsupported } from "./to-json-schema.ts";

/**
 * A schema in the one form the rest of the package works with. `jsonSchema` is frozen plain data, made once: what the model
 * is told, and what says how a refused value may be coerced. Where there is `parse`, the library's own validator, valid is
 * what that says.
 */
export interface AcceptedSchema {
  jsonSchema: JsonSchema;
  parse?: (value: unknown) => StandardResult | Promise<StandardResult>;
  /**
   * Where the library converts as JavaScript does, to which "false" is true and "" is 0, what a value must be after it was
   * coerced and before the library is asked.
   */
  converts?: JsonSchema;
}

/**
 * Recognises a Standard Schema with a JSON Schema converter (zod 4, arktype, wrapped valibot), an AI SDK schema, a
 * TypeBox type or a plain JSON Schema object. Anything else throws `SCHEMA_UNSUPPORTED`, naming `field` and the fix.
 */
export function acceptSchema(schema: unknown, field: string): AcceptedSchema {
  if (isStandardSchema(schema)) return acceptStandard(schema, field);
  if (typeof schema === "function") return acceptLazy(schema as () => unknown, field);
  if (isAiSdkSchema(schema)) {
    const parse = aiSdkParser(schema);
    const jsonSchema = plainData(schema.jsonSchema, field);
    return parse === undefined ? { jsonSchema } : { jsonSchema, parse };
  }
  return { jsonSchema: plainData(schema, field) };
}

/**
 * As `acceptSchema`, for a tool's arguments, which are always an object: a schema that leaves the type open gets
 * `type: "object"`, one that describes something else is refused.
 */
export function acceptInputSchema(schema: unknown, field: string): AcceptedSchema {
  const accepted = acceptSchema(schema, field);
  const { type } = accepted.jsonSchema;
  if (type === undefined) {
    return { ...accepted, jsonSchema: Object.freeze({ type: "object", ...accepted.jsonSchema }) };
  }
  if (type === "object" || (Array.isArray(type) && type.includes("object"))) return accepted;
  throw new ToolrigError(
    "SCHEMA_UNSUPPORTED",
    `${field}: a tool's arguments are an object, but the schema has type ${JSON.stringify(type)}. ` +
      "Wrap it in an object schema with one property.",
  );
}

function acceptStandard(schema: StandardSchema, field: string): AcceptedSchema {
  const standard = schema["~standard"];
  const converter = standard.jsonSchema;
  if (typeof converter?.input !== "function") throw unsupported(`${field}: ${converterFix(standard)}`);
  const { jsonSchema, converts } = toJsonSchema(standard.vendor, converter.input, field);
  const accepted = { jsonSchema: plainData(jsonSchema, field), parse: parserOf(schema) };
  return converts === undefined ? accepted : { ...accepted, converts: plainData(converts, field) };
}

function converterFix({ vendor }: StandardProps): string {
  if (vendor === "valibot") {
    return (
      "a valibot schema has no JSON Schema of its own. " +
      "Wrap it: toStandardJsonSchema(schema) from @valibot/to-json-schema 1.5 or later."
    );
  }
  if (vendor === "zod") {
    return "this zod schema cannot give its JSON Schema. Use zod 4.2 or later (zod 3 and zod/v3 cannot).";
  }
  return (
    `the ${vendor} schema has no "~standard".jsonSchema converter. ` +
    "Use a version of the library that implements Standard JSON Schema, or pass plain JSON Schema."
  );
}

/** The AI SDK's `lazySchema()`: a function without parameters that makes the schema. */
function acceptLazy(make: () => unknown, field: string): AcceptedSchema {
  if (make.length === 0 && make.prototype === undefined) {
    const made = make();
    if (isAiSdkSchema(made) || isStandardSchema(made)) return acceptSchema(made, field);
  }
  const effect =
    "ast" in make ? " Wrap an effect schema: toStandardJSONSchemaV1(toStandardSchemaV1(schema))." : "";
  throw unsupported(`${field}: expected a schema, received a function.${effect}`);
}

const TYPEBOX_TRANSFORM = Symbol.for("TypeBox.Transform");
const TAKES = "Pass a zod 4, valibot (wrapped), arktype or TypeBox schema, or a JSON Schema object.";

/** A frozen deep copy that holds only JSON: symbol keys, functions and undefined are gone. */
function plainData(schema: unknown, field: string): JsonSchema {
  if (!isRecord(schema))
    throw unsupported(`${field}: expected a schema, received ${kindOf(schema)}. ${TAKES}`);
  if (typeof schema.then === "function") {
    throw unsupported(`${field}: expected a schema, received a promise. Await it before defining the tool.`);
  }
  if (Object.getPrototypeOf(Object.getPrototypeOf(schema) ?? Object.prototype) !== null) {
    throw unsupported(`${field}: expected a schema, received an instance of ${classOf(schema)}. ${TAKES}`);
  }
  const bare = Object.keys(schema).find((key) => isStandardSchema(schema[key]));
  if (bare !== undefined) {
    throw unsupported(
      `${field}: "${bare}" is a schema of its own. Wrap the properties in an object schema: z.object({ ... }).`,
    );
  }
  try {
    return JSON.parse(JSON.stringify(schema, refuseCode), (_key, value: unknown) =>
      Object.freeze(value),
    ) as JsonSchema;
  } catch (cause) {
    throw unsupported(`${field}: the schema is not plain JSON data (${messageOf(cause)}).`, cause);
  }
}

/** TypeBox keeps refinements and codecs beside the schema, where nothing that reads JSON Schema would ever see them. */
function refuseCode(_key: string, part: unknown): unknown {
  if (!isRecord(part)) return part;
  const kind =
    "~refine" in part
      ? "Refine"
      : "~codec" in part || TYPEBOX_TRANSFORM in part
        ? "Decode and Encode"
        : undefined;
  if (kind === undefined) return part;
  throw new Error(
    `Type.${kind} is code, which nothing would run: do that in execute, or use zod, valibot or arktype`,
  );
}

function classOf(value: object): string {
  const maker: unknown = value.constructor;
  return typeof maker === "function" && maker.name !== "" ? maker.name : "a class";
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `${typeof value} ${String(value)}`.slice(0, 60);
}
