import type { ToolDefinition } from "@toolrig/core";
import { extract } from "@toolrig/core/extract";
import { type AssistantMessage, type AssistantPart, newCallId, textOfMessage } from "./message.ts";

/**
 * The message with the calls that the model wrote as text made into calls, or as it is when there are none. Only for
 * messages without structured calls. A call whose end is missing makes the message one that was cut off.
 */
export function withExtractedCalls(
  message: AssistantMessage,
  tools: readonly ToolDefinition[],
  family: string | undefined,
): AssistantMessage {
  const text = textOfMessage(message);
  if (text === "" || tools.length === 0) return message;
  const { calls, content } = extract(text, { tools, ...(family !== undefined && { family }) });
  if (calls.length === 0) return message;
  const parts: AssistantPart[] = message.content.filter((part) => part.type !== "text");
  if (content.trim() !== "") parts.push({ type: "text", text: content.trim() });
  for (const call of calls) {
    parts.push({
      type: "tool-call",
      id: newCallId(),
      name: call.name,
      arguments: call.arguments,
      extracted: call.family,
    });
  }
  const finishReason = calls.every((call) => call.complete) ? message.finishReason : "length";
  return { ...message, content: parts, finishReason };
}
