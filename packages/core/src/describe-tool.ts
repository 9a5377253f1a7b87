import type { ToolAnnotations, ToolDefinition } from "./definition.ts";
import { hasSideEffects, type Safety } from "./safety.ts";
import type { AcceptedSchema } from "./schema/accept.ts";
import type { ToolSpec } from "./tool.ts";

/** The definition of a tool, from what was declared. Examples become part of the description. */
export function describeTool(
  spec: ToolSpec<unknown, unknown>,
  safety: Safety,
  input: AcceptedSchema,
  output: AcceptedSchema | undefined,
): ToolDefinition {
  return Object.freeze({
    name: spec.name,
    ...(spec.version !== undefined && { version: spec.version }),
    description: describe(spec),
    inputSchema: input.jsonSchema,
    ...(output !== undefined && { outputSchema: output.jsonSchema }),
    annotations: annotationsOf(spec.label, safety),
  });
}

function describe({ description, examples = [] }: ToolSpec<unknown, unknown>): string {
  if (examples.length === 0) return description;
  const lines = examples.map((example) => {
    const args = JSON.stringify(example.arguments);
    return example.description === undefined ? `- ${args}` : `- ${example.description}: ${args}`;
  });
  return `${description}\nExamples of arguments:\n${lines.join("\n")}`;
}

function annotationsOf(title: string | undefined, safety: Safety): ToolAnnotations {
  const changes = hasSideEffects(safety);
  return {
    ...(title !== undefined && { title }),
    readOnlyHint: !changes,
    destructiveHint: changes && !safety.idempotent,
    idempotentHint: safety.idempotent || !changes,
    openWorldHint: safety.sideEffects === "external",
  };
}
