import { defined } from "../defined.ts";
import { check } from "../options/check.ts";
import type { ToolDefinition } from "./definition.ts";
import { vendorName } from "./vendor-name.ts";
import { vendorSchema } from "./vendor-schema.ts";

/*
 * Definitions as vendors take them. A schema with a union at the top is offered as one object, since they would refuse the
 * whole request otherwise, and a name that they do not take is replaced: a call that comes under such a name finds its tool,
 * and `vendorNames` gives the name back.
 */

/** The shape of OpenAI chat completions. */
export function toOpenAI(definition: ToolDefinition) {
  const { name, description, schema } = offered(definition);
  return { type: "function" as const, function: { name, description, parameters: schema } };
}

/** The shape of OpenAI responses. */
export function toOpenAIResponses(definition: ToolDefinition) {
  const { name, description, schema } = offered(definition);
  return { type: "function" as const, name, description, parameters: schema, strict: false };
}

/** The shape of Anthropic messages. */
export function toAnthropic(definition: ToolDefinition) {
  const { name, description, schema } = offered(definition);
  return { name, description, input_schema: schema };
}

/** The shape of function tools in the AI SDK's language model specification. */
export function toAiSdk(definition: ToolDefinition) {
  const { name, description, schema } = offered(definition);
  return { type: "function" as const, name, description, inputSchema: schema };
}

function offered(definition: ToolDefinition) {
  const { name, description, inputSchema } = checked(definition);
  const { schema, note } = vendorSchema(inputSchema);
  const told = note === "" ? description : `${description}\n${note}`;
  return { name: vendorName(name), description: told, schema };
}

/** The shape of MCP `tools/list`, which takes definitions as they are. */
export function toMcp(definition: ToolDefinition) {
  const { name, description, inputSchema, outputSchema, annotations } = checked(definition);
  return {
    name,
    description,
    inputSchema,
    ...defined({ outputSchema, annotations }),
  };
}

function checked(definition: ToolDefinition): ToolDefinition {
  check.object("definition", definition, "the definition of a tool, such as one of executor.definitions()");
  check.string("definition.name", definition.name);
  check.object("definition.inputSchema", definition.inputSchema, "a JSON Schema");
  return definition;
}
