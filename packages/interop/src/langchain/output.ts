import { ToolMessage } from "@langchain/core/messages";
import type { ToolResult } from "@toolrig/core";
import { defined, toPlain } from "@toolrig/core/kit";
import { shown } from "../beneath/shown.ts";

/** A result as the message that LangChain's tools answer with. A failure is one, too, and says so in its status. */
export function messageOf(result: ToolResult, callId: string, name: string): ToolMessage {
  const { structured } = shown(result);
  const { executionId, details, terminate, stop } = result;
  return new ToolMessage({
    content: contentOf(result),
    tool_call_id: callId,
    name,
    status: result.isError ? "error" : "success",
    artifact: toPlain({
      executionId,
      ...defined({ value: structured, details }),
      ...((terminate === true || stop !== undefined) && { terminate: true }),
    }),
  });
}

export function contentOf(result: ToolResult) {
  const { text, images } = shown(result);
  if (images.length === 0) return text;
  return [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...images.map(({ data, mimeType }) => ({
      type: "image_url",
      image_url: { url: `data:${mimeType};base64,${data}` },
    })),
  ];
}
