import { type ContentPart, type ToolResult, textOf } from "@toolrig/core";
import { contentOfOutput, isContentPart, NO_OUTPUT } from "@toolrig/core/kit";
import type { Tool } from "ai";
import { ToolCallError } from "../beneath/shown.ts";
import type { OwnTool } from "./from-tool.ts";

type ModelOutput = Awaited<ReturnType<NonNullable<Tool["toModelOutput"]>>>;

/** What a tool answers whose content for the model is not simply its value: pictures, several parts, shortened text. */
interface ContentOutput {
  type: "toolrig-content";
  content: readonly ContentPart[];
  value?: unknown;
}

/** What the AI SDK shows to a tool's `toModelOutput`. */
export interface ShownOutput {
  toolCallId: string;
  input: unknown;
  output: unknown;
}

/**
 * What `execute` answers: the tool's own value, so that whoever shows results finds what they found before. Throws for a failed
 * call, which is how the AI SDK's tools fail.
 */
export async function outputOf(
  result: ToolResult,
  own: OwnTool | undefined,
  input: unknown,
): Promise<unknown> {
  const { content, value, artifact, callId, isError } = result;
  if (own?.toModelOutput !== undefined && artifact === undefined && !isContentOutput(value)) {
    // A tool that told of a failure has a value all the same; a call that did not run has none.
    const shaped =
      isError && value === undefined
        ? undefined
        : await own.toModelOutput({ toolCallId: callId, input: input as never, output: value });
    if (shaped !== undefined && textOfJson(contentOfOutput(shaped)) === textOfJson(content)) return value;
  }
  if (isError) throw new ToolCallError(result);
  const [first] = content;
  if (content.length === 1 && first?.type === "text") {
    if (value === undefined || value === first.text) return isNothing(result, own) ? undefined : first.text;
    // A value that looks like content is told as what it is: a value.
    const isPlain = artifact === undefined && !isContentOutput(value) && own?.toModelOutput === undefined;
    if (isPlain && textOfJson(value) === first.text) return value;
  }
  const output: ContentOutput = { type: "toolrig-content", content };
  if (value !== undefined && artifact === undefined) output.value = value;
  return output;
}

/** A tool of the AI SDK that returned nothing says nothing there. */
function isNothing({ value, content, advice }: ToolResult, own: OwnTool | undefined): boolean {
  return own !== undefined && value === undefined && advice === undefined && textOf(content) === NO_OUTPUT;
}

function textOfJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** What the model is shown of what `execute` answered, also where that comes back from a client, who may send anything. */
export function modelOutput(
  shown: ShownOutput,
  own: OwnTool | undefined,
): ModelOutput | PromiseLike<ModelOutput> {
  const { output } = shown;
  if (own?.toModelOutput !== undefined && !isContentOutput(output)) return own.toModelOutput(shown as never);
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
