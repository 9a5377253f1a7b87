import type { JsonSchema, ToolDefinition } from "@toolrig/core";
import { isRecord, messageOf, vendorName, vendorSchema } from "@toolrig/core/kit";
import { type Dialect, GEMINI, OPENAI_STRICT } from "./dialect.ts";
import { beyond } from "./limits.ts";
import { keyFor } from "./objects.ts";
import type { Back, Loss } from "./projected.ts";
import { Projector } from "./projector.ts";

/** A tool as one vendor is told of it. */
export interface VendorTool {
  /** The tool's own name. */
  readonly tool: string;
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  /** Whether the vendor may be asked to make answers fit the schema. */
  readonly strict: boolean;
  /** What the vendor's schema cannot say. */
  readonly lost: readonly Loss[];
  /** Whether arguments come in another shape than the tool's own. */
  readonly differs: boolean;
  /** Arguments of the model, in the tool's own shape. What does not look as expected is left for validation to explain. */
  back(args: unknown): unknown;
}

/** OpenAI. Strict where that is asked for and the schema can be made so; else as it is, but for what stands at the top. */
export function projectOpenAI(definition: ToolDefinition, { strict }: { strict: boolean }): VendorTool {
  return orAnyObject(definition, () => openAITool(definition, strict));
}

function openAITool(definition: ToolDefinition, strict: boolean): VendorTool {
  const { schema, note } = vendorSchema(definition.inputSchema);
  if (!strict) return vendorTool(definition, note, schema, { lost: topLost(note) });
  const { told, back, lost } = projected(schema, definition.inputSchema, OPENAI_STRICT);
  const refused = beyond(told, OPENAI_STRICT.limits);
  if (refused === undefined)
    return vendorTool(definition, note, told, { back, lost: [...topLost(note), ...lost], strict: true });
  const reason: Loss = { path: "", what: "strict mode", instead: `not strict: ${refused}` };
  return vendorTool(definition, note, schema, { lost: [...topLost(note), reason] });
}

/** Gemini's `parameters`. */
export function projectGemini(definition: ToolDefinition): VendorTool {
  return orAnyObject(definition, () => {
    const { schema, note } = vendorSchema(definition.inputSchema);
    const { told, back, lost } = projected(schema, definition.inputSchema, GEMINI);
    return vendorTool(definition, note, told, { back, lost: [...topLost(note), ...lost] });
  });
}

const ANTHROPIC_KEYS = /^[A-Za-z0-9_.-]{1,64}$/;

/** Anthropic takes JSON Schema, but for what stands at the top, and is particular about the names of properties there. */
export function projectAnthropic(definition: ToolDefinition): VendorTool {
  return orAnyObject(definition, () => anthropicTool(definition));
}

function anthropicTool(definition: ToolDefinition): VendorTool {
  const { schema, note } = vendorSchema(definition.inputSchema);
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const names = new Map<string, string>();
  for (const name of Object.keys(properties))
    names.set(
      keyFor(name, ANTHROPIC_KEYS, (key) => names.has(key) || Object.hasOwn(properties, key)),
      name,
    );
  const renamed = [...names].filter(([key, name]) => key !== name);
  if (renamed.length === 0) return vendorTool(definition, note, schema, { lost: topLost(note) });
  const keys = new Map([...names].map(([key, name]) => [name, key]));
  const required = Array.isArray(schema.required) ? schema.required : [];
  const told = {
    ...schema,
    properties: Object.fromEntries([...names].map(([key, name]) => [key, properties[name]])),
    ...(required.length > 0 && { required: required.map((name: string) => keys.get(name) ?? name) }),
  };
  const back: Back = (args) =>
    isRecord(args)
      ? Object.fromEntries(Object.entries(args).map(([key, value]) => [names.get(key) ?? key, value]))
      : args;
  return vendorTool(definition, note, told, { back, lost: topLost(note) });
}

/** A schema that nobody can read, such as one that is too deep, must not keep a loop from its other tools. */
function orAnyObject(definition: ToolDefinition, make: () => VendorTool): VendorTool {
  try {
    return make();
  } catch (error) {
    const lost = [{ path: "", what: "the schema", instead: `any object: ${messageOf(error)}` }];
    return vendorTool(definition, "", { type: "object" }, { lost });
  }
}

function projected(schema: JsonSchema, own: JsonSchema, dialect: Dialect) {
  const projector = new Projector(schema, dialect);
  const { root } = projector.references;
  const isMap =
    !isRecord(root.properties) &&
    root.additionalProperties !== undefined &&
    root.additionalProperties !== false;
  const whole = isMap
    ? { type: "object", properties: { entries: root }, required: ["entries"] }
    : noArguments(root);
  const { schema: told, back } = projector.of(whole, "");
  const defs = Object.keys(projector.defs).length > 0 ? { $defs: projector.defs } : {};
  const fromEntries: Back = (args) => {
    const given = back === undefined ? args : back(args);
    return isRecord(given) && isRecord(given.entries) ? given.entries : given;
  };
  const forms = own.anyOf ?? own.oneOf;
  const whenForms = Array.isArray(forms) ? fromForms(own, forms, dialect, back) : undefined;
  const found = whenForms ?? (isMap ? fromEntries : back);
  return {
    told: { ...told, ...defs },
    back: found && projector.work.bounded(found),
    lost: projector.lost,
  };
}

/** Vendors are told of one object that has the properties of all forms. Those of other forms are absent, or null. */
function fromForms(
  own: JsonSchema,
  forms: readonly unknown[],
  dialect: Dialect,
  otherwise: Back | undefined,
): Back {
  const projector = new Projector(own, dialect);
  const { anyOf, oneOf, ...rest } = projector.references.root;
  const parts = ((anyOf ?? oneOf ?? forms) as unknown[]).map((form, index) => {
    const part = { allOf: [rest, form] };
    const { schema, back } = projector.of(part, `/anyOf/${index}`);
    const names = isRecord(schema.properties) ? schema.properties : {};
    const ofForm: Back = (args) => {
      const given = isRecord(args)
        ? Object.fromEntries(
            Object.entries(args).filter(([key, value]) => value !== null || Object.hasOwn(names, key)),
          )
        : args;
      return back === undefined ? given : back(given);
    };
    return { part, schema, back: ofForm };
  });
  const fitting = projector.work.bounded(projector.firstFitting(parts));
  const unfit = (args: unknown) => (otherwise === undefined ? args : otherwise(args));
  return (args) => {
    const found = fitting(args);
    return found === args ? unfit(args) : found;
  };
}

/** A tool that names no arguments takes none. */
function noArguments(root: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isRecord(root.properties) && Object.keys(root.properties).length > 0
    ? root
    : { ...root, properties: {}, additionalProperties: false };
}

function topLost(note: string): Loss[] {
  return note === ""
    ? []
    : [{ path: "", what: "a union of forms", instead: "all their properties, and the forms in words" }];
}

function vendorTool(
  { name, description }: ToolDefinition,
  note: string,
  schema: JsonSchema,
  { back, lost, strict = false }: { back?: Back | undefined; lost: readonly Loss[]; strict?: boolean },
): VendorTool {
  return {
    tool: name,
    name: vendorName(name),
    description: note === "" ? description : `${description}\n${note}`,
    schema,
    strict,
    lost,
    differs: back !== undefined,
    back: back ?? ((args) => args),
  };
}
