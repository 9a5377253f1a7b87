import type { ContentPart, ToolResult } from "@toolrig/core";
import { isContentPart, newId } from "@toolrig/core/kit";
import { shown, ToolCallError } from "../beneath/shown.ts";
import { type OwnTool, saysItsValue } from "./own-tool.ts";
import type { MastraTool } from "./shape.ts";

/** What a tool answers whose content for the model is not simply its value: pictures, several parts, the end of the run. */
interface ContentOutput {
  type: "toolrig-content";
  content: readonly ContentPart[];
  /** One of `ends`. */
  terminate?: string;
}

const MAX_ENDS = 10_000;

/** What results say that end their run. It comes back in steps, beside results of other tools, which may look like ours. */
const ends = new Set<string>();

/**
 * What `execute` answers: the tool's own value, so that whoever shows results finds what they found before. Throws for a failed
 * call, which is how tools fail, unless a guard has ended the run.
 */
export async function outputOf(result: ToolResult, own: OwnTool | undefined): Promise<unknown> {
  if (own !== undefined && !isContentOutput(result.value) && (await saysItsValue(result, own)))
    return result.value;
  const told = toldOutput(result);
  return own !== undefined && isWritten(result.value, told) ? result.value : told;
}

/** Whether a text is a number, a truth value or null as the model reads it: Mastra's own tools answer with the value. */
function isWritten(value: unknown, told: unknown): boolean {
  return value !== undefined && typeof value !== "string" && JSON.stringify(value) === told;
}

function toldOutput(result: ToolResult): unknown {
  const isEnd = result.terminate === true || result.stop !== undefined;
  if (result.isError && !isEnd) throw new ToolCallError(result);
  const { text, images, structured } = shown(result);
  // A tool's own value may look like what is answered below, and is shown as the text that it is.
  if (images.length === 0 && !isEnd && !isContentOutput(structured))
    return structured !== undefined && JSON.stringify(structured) === text ? structured : text;
  return { type: "toolrig-content", content: result.content, ...(isEnd && { terminate: newEnd() }) };
}

function newEnd(): string {
  const end = newId("end");
  ends.add(end);
  const [oldest] = ends;
  if (ends.size > MAX_ENDS && oldest !== undefined) ends.delete(oldest);
  return end;
}

/** What the model is shown of what `execute` answered, also where that comes back from a database. */
export function modelOutput(output: unknown, source?: MastraTool): unknown {
  if (source?.toModelOutput !== undefined && !isContentOutput(output)) return source.toModelOutput(output);
  if (typeof output === "string") return { type: "text", value: output };
  if (!isContentOutput(output)) return { type: "json", value: output ?? null };
  return { type: "content", value: output.content.map(partOf) };
}

function partOf(part: ContentPart) {
  if (part.type === "image" || part.type === "audio")
    return { type: "media" as const, data: part.data, mediaType: part.mimeType };
  const text = part.type === "text" ? part.text : (part.text ?? `[resource: ${part.uri}]`);
  return { type: "text" as const, text };
}

function isContentOutput(output: unknown): output is ContentOutput {
  const { type, content } = (output ?? {}) as Partial<ContentOutput>;
  return type === "toolrig-content" && Array.isArray(content) && content.every(isContentPart);
}

/** A step of a run, as far as it is read. */
interface MastraStep {
  content: readonly { type: string; output?: unknown }[];
}

/** For `stopWhen: endOfRun`: the run ends when all results of a step ask for it. */
export function endOfRun({ steps }: { steps: readonly MastraStep[] }): boolean {
  const results = steps.at(-1)?.content.filter(({ type }) => type === "tool-result") ?? [];
  return results.length > 0 && results.every(({ output }) => asksToEnd(output));
}

/** What a tool answered stands in an output that says of which kind it is. */
function asksToEnd(output: unknown): boolean {
  const { value = output } = (output ?? {}) as { value?: unknown };
  return isContentOutput(value) && value.terminate !== undefined && ends.has(value.terminate);
}
