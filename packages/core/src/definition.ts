import type { JsonSchema } from "./schema/json-schema.ts";

/** What a model or a client is told of a tool. Schemas are JSON Schema 2020-12. */
export interface ToolDefinition {
  name: string;
  version?: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  annotations?: ToolAnnotations;
}

/** Hints in the vocabulary of MCP, derived from the declared safety. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** The shape of OpenAI chat completions. */
export function toOpenAI(definition: ToolDefinition) {
  const { name, description, inputSchema } = definition;
  return { type: "function" as const, function: { name, description, parameters: inputSchema } };
}

/** The shape of OpenAI responses. */
export function toOpenAIResponses(definition: ToolDefinition) {
  const { name, description, inputSchema } = definition;
  return { type: "function" as const, name, description, parameters: inputSchema, strict: false };
}

/** The shape of Anthropic messages. */
export function toAnthropic(definition: ToolDefinition) {
  const { name, description, inputSchema } = definition;
  return { name, description, input_schema: inputSchema };
}

/** The shape of MCP `tools/list`. */
export function toMcp(definition: ToolDefinition) {
  const { name, description, inputSchema, outputSchema, annotations } = definition;
  return {
    name,
    description,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
  };
}

/** The shape of function tools in the AI SDK's language model specification. */
export function toAiSdk(definition: ToolDefinition) {
  const { name, description, inputSchema } = definition;
  return { type: "function" as const, name, description, inputSchema };
}
