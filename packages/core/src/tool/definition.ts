import { canonicalJson } from "../canonical.ts";
import { defined } from "../defined.ts";
import type { AcceptedSchema } from "../schema/accept.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { sha256 } from "../sha256.ts";
import { ORIGIN, type ToolOrigin } from "./origin.ts";
import { hasSideEffects, type Safety } from "./safety.ts";
import type { ToolSpec } from "./tool.ts";

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

/** The definition of a tool, from what was declared. Examples become part of the description. */
export function describeTool(
  spec: ToolSpec<unknown, unknown>,
  safety: Safety,
  inputSchema: JsonSchema,
  output: AcceptedSchema | undefined,
  origin?: Omit<ToolOrigin, "description">,
): ToolDefinition {
  const description = describe(spec);
  return Object.freeze({
    name: spec.name,
    ...defined({ version: spec.version }),
    description,
    inputSchema,
    ...defined({ outputSchema: output?.jsonSchema }),
    annotations: annotationsOf(spec.label, safety),
    ...(origin !== undefined && { [ORIGIN]: { ...origin, description } }),
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
  return Object.freeze({
    ...defined({ title }),
    readOnlyHint: !changes,
    destructiveHint: changes && !safety.idempotent,
    idempotentHint: safety.idempotent || !changes,
    openWorldHint: safety.sideEffects === "external",
  });
}

const known = new WeakMap<ToolDefinition, string>();

/** SHA-256 of a definition, in hex. Made once a definition: they are immutable. */
export function definitionHash(definition: ToolDefinition): string {
  let hash = known.get(definition);
  if (hash === undefined) {
    hash = sha256(canonicalJson(definition));
    known.set(definition, hash);
  }
  return hash;
}
