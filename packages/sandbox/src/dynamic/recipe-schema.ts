import { fieldsSchema } from "./field.ts";

/** What a model may write as a recipe. `maxSource` is in characters. */
export function recipeSchema(maxSource: number) {
  return {
    type: "object",
    properties: {
      name: { type: "string", description: "Snake case, verb first: count_words." },
      description: {
        type: "string",
        minLength: 1,
        maxLength: 1_000,
        description: "What it does, and when to use it.",
      },
      arguments: fieldsSchema("Its arguments. [] for none."),
      output: fieldsSchema("The fields of the object that the handler returns. Left out: anything."),
      handler: { type: "string", minLength: 1, maxLength: maxSource, description: "Body of the function." },
      capabilities: {
        type: "array",
        items: { type: "string" },
        maxItems: 20,
        description: "Names of the tools that the handler calls. Left out: none.",
      },
      example: {
        type: "object",
        description:
          "Arguments of a call that is made at once. May be left out only where the tool calls others.",
      },
    },
    required: ["name", "description", "arguments", "handler"],
    additionalProperties: false,
  } as const;
}

const TEXT = { type: "string" } as const;

/** A recipe that was made into a tool, as the catalog keeps it. */
export function madeSchema(maxSource: number) {
  const recipe = recipeSchema(maxSource);
  const object = { type: "object", additionalProperties: false } as const;
  return {
    ...object,
    properties: {
      ...recipe.properties,
      type: { const: "dynamic" },
      version: { type: "integer", minimum: 1, maximum: 999_999_999 },
      uses: {
        type: "array",
        items: { ...object, properties: { name: TEXT, provider: TEXT }, required: ["name"] },
      },
      safety: {
        ...object,
        properties: {
          sideEffects: { enum: ["none", "read", "write", "external"] },
          idempotent: { type: "boolean" },
          requires: { type: "array", items: TEXT },
        },
        required: ["sideEffects", "idempotent", "requires"],
      },
      labels: {
        ...object,
        properties: {
          integrity: { enum: ["untrusted"] },
          confidentiality: { enum: ["private"] },
          source: TEXT,
        },
      },
      by: TEXT,
      hash: TEXT,
    },
    required: [...recipe.required, "capabilities", "type", "version", "uses", "safety", "labels", "hash"],
  } as const;
}
