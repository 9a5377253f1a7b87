import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import type { ToolDefinition, ToolResult } from "@toolrig/core";
import { type ArtifactStore, defined } from "@toolrig/core/kit";
import { carriedIn } from "../wire/carried.ts";
import { toMcpContent, type UriOf } from "../wire/to-mcp-content.ts";

type Schema = Readonly<Record<string, unknown>>;

/** A tool as a prompt: its arguments are those of its schema. */
export function toPrompt(definition: ToolDefinition): Prompt {
  const { name, description, annotations } = definition;
  const { required = [] } = definition.inputSchema as { required?: readonly string[] };
  const properties = Object.entries(propertiesOf(definition));
  return {
    name,
    description,
    ...defined({ title: annotations?.title }),
    ...(properties.length > 0 && {
      arguments: properties.map(([argument, schema]) => ({
        name: argument,
        ...(typeof schema.description === "string" && { description: schema.description }),
        required: required.includes(argument),
      })),
    }),
  };
}

/** What a prompt came to: one message for each part of its content. */
export function toPromptResult({ description }: ToolDefinition, result: ToolResult): GetPromptResult {
  const messages = toMcpContent(result.content).map((content) => ({ role: "user" as const, content }));
  return { description, messages };
}

/** What a prompt of a server behind came to. Messages of which nobody knows any more whose they are count as the user's. */
export async function toCarriedPrompt(
  { content: shown, details, artifact }: ToolResult,
  uriOf: UriOf,
  artifacts: ArtifactStore | undefined,
): Promise<GetPromptResult> {
  // Of text over the cap the ends are shown: the client has asked for all of it.
  const whole = artifact && (await artifacts?.read(artifact, 0, Number.MAX_SAFE_INTEGER));
  const content = whole
    ? [{ type: "text" as const, text: whole.text }, ...shown.filter(({ type }) => type !== "text")]
    : shown;
  const { prompt, meta: _meta } = carriedIn(details);
  const roles = prompt?.roles.length === content.length ? prompt.roles : [];
  const messages = toMcpContent(content, uriOf).map((block, index) => ({
    role: roles[index] === "assistant" ? ("assistant" as const) : ("user" as const),
    content: block,
  }));
  const description = typeof prompt?.description === "string" ? prompt.description : undefined;
  return { messages, ...defined({ description, _meta }) };
}

const MAX_VALUES = 100;

/** What an argument may begin like this: its choices, or its examples. */
export function completions(definition: ToolDefinition, argument: string, begun: string) {
  const { enum: choices, examples } = propertiesOf(definition)[argument] ?? {};
  const known = [choices, examples].find(Array.isArray) ?? [];
  const values = known.filter((each): each is string => typeof each === "string" && each.startsWith(begun));
  return {
    completion: {
      values: values.slice(0, MAX_VALUES),
      total: values.length,
      hasMore: values.length > MAX_VALUES,
    },
  };
}

function propertiesOf({ inputSchema }: ToolDefinition): Readonly<Record<string, Schema>> {
  const { properties } = inputSchema as { properties?: Readonly<Record<string, Schema>> };
  return properties ?? {};
}
