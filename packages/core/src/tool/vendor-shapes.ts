import type { ToolDefinition } from "./definition.ts";

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
