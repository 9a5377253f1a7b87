import type { ContentPart, ToolResult } from "@toolrig/core";
import { isContentPart } from "@toolrig/core/kit";
import type { Tool } from "ai";
import { ToolCallError } from "../beneath/shown.ts";

type ModelOutput = Awaited<ReturnType<NonNullable<Tool["toModelOutput"]>>>;

/** What a tool answers whose content for the model is not simply its value: pictures, several parts, shortened text. */
interface ContentOutput {
  type: "toolrig-content";
  content: readonly ContentPart[];
  value?: unknown;
}

/**
 * What `execute` answers: the tool's own value, so that whoever shows results finds what they found before. Throws for a failed
 * call, which is how the AI SDK's tools fail.
 */
export function outputOf(result: ToolResult): unknown {
  if (result.isError) throw new ToolCallError(result);
  const { content, value, artifact } = result;
  const [first] = content;
  if (content.length === 1 && first?.type === "text") {
    if (value === undefined || value === first.text) return first.text;
    // A value that looks like content is told as what it is: a value.
    const isPlain = artifact === undefined && !isContentOutput(value);
    if (isPlain && textOfJson(value) === first.text) return value;
  }
  const output: ContentOutput = { type: "toolrig-content", content };
  if (value !== undefined && artifact === undefined) output.value = value;
  return output;
}

function textOfJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** What the model is shown of what `execute` answered, also where that comes back from a client, who may send anything. */
export function modelOutput(output: unknown): ModelOutput {
  if (typeof output === "string") return { type: "text", value: output };
  if (!isContentOutput(output) || !output.content.every(isContentPart))
    return { type: "json", value: (output ?? null) as never };
  return { type: "content", value: output.content.map(partOf) };
}

function isContentOutput(output: unknown): output is ContentOutput {
  const { type, content } = (output ?? {}) as Partial<ContentOutput>;
  return type === "toolrig-content" && Array.isArray(content);
}

function partOf(part: ContentPart) {
  if (part.type === "image" || part.type === "audio") {
    const data = { type: "data" as const, data: part.data };
    return { type: "file" as const, mediaType: part.mimeType, data };
  }
  const text = part.type === "text" ? part.text : (part.text ?? `[resource: ${part.uri}]`);
  return { type: "text" as const, text };
}
