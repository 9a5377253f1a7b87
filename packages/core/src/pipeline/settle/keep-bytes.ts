import type { ContentPart, ResourcePart } from "../../call/content.ts";
import type { ToolResult } from "../../call/result.ts";
import { messageOf } from "../../plain.ts";
import type { Execution } from "../execution.ts";
import { inTime } from "../interruption.ts";

type WithBytes = ResourcePart & { data: string };

function isTooMuch(part: ContentPart, most: number): part is WithBytes {
  return part.type === "resource" && part.data !== undefined && part.data.length > most;
}

/** Whether a resource in a result has more bytes, as base64, than a result may hold. */
export function hasLargeBytes({ content }: ToolResult, most: number): boolean {
  return content.some((part) => isTooMuch(part, most));
}

/** Bytes of resources over the cap go to the artifact store. The part says what they were and names the artifact. */
export async function keepBytes(execution: Execution, result: ToolResult): Promise<ToolResult> {
  const { maxContent } = execution.services;
  const content: ContentPart[] = [];
  for (const part of result.content)
    content.push(isTooMuch(part, maxContent) ? await kept(execution, part, result) : part);
  return { ...result, content };
}

async function kept(execution: Execution, part: WithBytes, { labels }: ToolResult): Promise<ResourcePart> {
  const { data, ...rest } = part;
  const what = part.mimeType ?? "bytes";
  try {
    const bytes = decoded(data);
    const artifact = await inTime(execution, execution.services.artifacts.write(once(bytes), labels));
    const text = `[${what}, ${bytes.length} bytes, kept as ${artifact}]`;
    return { ...rest, text, size: bytes.length, artifact };
  } catch (error) {
    return { ...rest, text: `[${what}, left out: it could not be kept: ${messageOf(error)}]` };
  }
}

function decoded(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

async function* once(bytes: Uint8Array) {
  yield bytes;
}
