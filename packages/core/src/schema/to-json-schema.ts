import { defined } from "../defined.ts";
import { ToolrigError } from "../failure/failure.ts";
import { isRecord } from "../is-record.ts";
import { CONVERTS, convertingParts } from "./converting.ts";

type Json = Record<string, unknown>;
type Convert = (options: { target: string; libraryOptions?: object }) => Json;

/** Marks what no JSON value satisfies, with the library's name for it, until it is left out of unions or refused. */
const NEVER = "~never";
const NOT_JSON: ReadonlySet<unknown> = new Set([
  ..."date bigint file blob map set symbol undefined void nan function instance promise".split(" "),
]);

/**
 * The JSON Schema of what a library's schema takes. What JSON Schema cannot say (a refinement, a flag of an expression, a
 * custom type) is left out: the library validates. What JSON cannot hold, such as a `Date`, could never be given and is
 * refused, unless it is one branch of a union. `converts` is what must hold where the schema converts values as JavaScript
 * does.
 */
export function toJsonSchema(
  vendor: string,
  convert: Convert,
  field: string,
): { jsonSchema: unknown; converts: unknown } {
  const libraryOptions = { zod: FOR_ZOD, valibot: FOR_VALIBOT, arktype: FOR_ARKTYPE }[vendor];
  let converted: Json;
  try {
    converted = convert({ target: "draft-2020-12", ...defined({ libraryOptions }) });
  } catch (cause) {
    const why = messageOf(cause);
    throw unsupported(
      `${field}: ${vendor} cannot express this schema as JSON Schema (${why}). ${DESCRIBE}`,
      cause,
    );
  }
  return {
    jsonSchema: possible(converted, { vendor, field, at: [] }),
    converts: convertingParts(converted),
  };
}

const DESCRIBE =
  "Describe the value as the model writes it, in JSON types, and convert it in the schema " +
  "(z.coerce.date(), a transform) or in execute.";

const FOR_ZOD = {
  unrepresentable: "any",
  override({ zodSchema, jsonSchema }: { zodSchema: { _zod: { def: Json } }; jsonSchema: Json }) {
    const { type, coerce } = zodSchema._zod.def;
    if (coerce !== true) {
      if (NOT_JSON.has(type)) replace(jsonSchema, never(type));
      return;
    }
    if (type === "date") replace(jsonSchema, { type: "string", format: "date-time" });
    else if (type === "bigint") replace(jsonSchema, { type: "integer" });
    jsonSchema[CONVERTS] = type;
  },
};

const FOR_VALIBOT = {
  errorMode: "ignore",
  overrideSchema: ({ valibotSchema }: { valibotSchema: { type: unknown } }) =>
    NOT_JSON.has(valibotSchema.type) ? never(valibotSchema.type) : undefined,
};

/** `domain` and `unit` are only asked about for domains and values that JSON does not have. */
const FOR_ARKTYPE = {
  fallback: ({ code, base }: { code: string; base: Json }) =>
    ["date", "proto", "domain", "unit"].includes(code) ? never(code) : base,
};

function never(type: unknown): Json {
  return { not: {}, [NEVER]: String(type) };
}

function replace(schema: Json, by: Json): void {
  for (const keyword of Object.keys(schema)) delete schema[keyword];
  Object.assign(schema, by);
}

interface Place {
  vendor: string;
  field: string;
  at: readonly string[];
}

/** A copy without the branches of unions that no JSON value satisfies. */
function possible(part: unknown, place: Place): unknown {
  if (Array.isArray(part))
    return part.map((each, i) => possible(each, { ...place, at: [...place.at, String(i)] }));
  if (!isRecord(part)) return part;
  if (isNever(part)) throw impossible(part, place);
  const copy: Json = {};
  for (const [keyword, value] of Object.entries(part)) {
    if (keyword === CONVERTS) continue;
    const union = keyword === "anyOf" || keyword === "oneOf" ? branchesOf(value) : value;
    const data = keyword === "enum" || keyword === "const" || keyword === "default" || keyword === "examples";
    copy[keyword] = data ? value : possible(union, { ...place, at: [...place.at, keyword] });
  }
  return copy;
}

function branchesOf(union: unknown): unknown {
  if (!Array.isArray(union)) return union;
  const branches = union.filter((branch) => !isNever(branch));
  return branches.length === 0 ? union : branches;
}

function isNever(part: unknown): part is Json {
  return isRecord(part) && typeof part[NEVER] === "string";
}

function impossible(part: Json, { vendor, field, at }: Place): ToolrigError {
  const names = at.filter((_, i) => at[i - 1] === "properties").join(".");
  const what = names === "" ? "this schema" : `"${names}"`;
  return unsupported(
    `${field}: ${vendor} cannot express ${what} as JSON: no JSON value is of its type (${part[NEVER]}), ` +
      `so no call could satisfy it. ${DESCRIBE}`,
  );
}

export function messageOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).split("\n", 1)[0] ?? "";
}

export function unsupported(message: string, cause?: unknown): ToolrigError {
  return new ToolrigError("SCHEMA_UNSUPPORTED", message, cause === undefined ? undefined : { cause });
}
