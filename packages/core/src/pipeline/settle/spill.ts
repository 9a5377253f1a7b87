import { cutPlace, splitText, textIn } from "../../call/content.ts";
import type { ToolResult } from "../../call/result.ts";
import { isThenable } from "../../maybe-promise.ts";
import { messageOf } from "../../plain.ts";
import { READ_RESULT } from "../../source/read-result.ts";
import type { Execution } from "../execution.ts";
import { inTime } from "../interruption.ts";
import type { Services } from "../services.ts";
import { endOfHead, startOfTail } from "./cut.ts";

export function isOversized({ content }: ToolResult, most: number): boolean {
  let size = 0;
  for (const part of content) size += textIn(part)?.length ?? 0;
  return size > most;
}

/** Of content over the cap, head and tail stay and the whole goes to the artifact store. */
export async function spill(execution: Execution, result: ToolResult): Promise<ToolResult> {
  const { services } = execution;
  const { text: whole, others } = splitText(result.content);
  let id: string | undefined;
  let where: string;
  try {
    const kept = services.artifacts.put(whole, result.labels);
    id = isThenable(kept) ? await inTime(execution, kept) : kept;
    where =
      services.source.get(READ_RESULT) === undefined
        ? `kept as ${id}`
        : `${READ_RESULT} reads it: id "${id}"`;
  } catch (error) {
    where = `the rest could not be kept: ${messageOf(error)}`;
  }
  const cut: ToolResult = {
    ...result,
    content: [{ type: "text", text: shorten(whole, services, where) }, ...others],
  };
  if (id !== undefined) cut.artifact = id;
  return cut;
}

function shorten(text: string, { maxContent, redactor }: Services, where: string): string {
  const head = endOfHead(text, cutPlace(text, Math.ceil(maxContent * 0.7)), redactor);
  const tail = startOfTail(text, cutPlace(text, text.length - Math.floor(maxContent * 0.3)), redactor);
  return `${text.slice(0, head)}\n[… ${tail - head} of ${text.length} characters left out; ${where} …]\n${text.slice(tail)}`;
}
