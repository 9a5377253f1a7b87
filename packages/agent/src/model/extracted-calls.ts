import type { ToolDefinition } from "@toolrig/core";
import { type Extracted, extract, extractStream } from "@toolrig/extract";
import { type AssistantMessage, type AssistantPart, newCallId, textOfMessage } from "./message.ts";

/** How calls that a model writes as text are found. */
export interface Extraction {
  /** The one envelope family that counts; undefined if any does. */
  family: string | undefined;
  /** Whether calls found are the model's own, as if it had made them in the way it should. */
  trust: boolean;
}

/** The checked option. Throws `OPTION_INVALID`. */
export function extractionOf(option: boolean | { family: string; trust?: boolean }): Extraction | undefined {
  if (typeof option === "boolean") return option ? { family: undefined, trust: false } : undefined;
  const { family, trust = false } = option;
  // Throws for a family that does not exist.
  extractStream({ tools: [], family });
  return { family, trust };
}

/**
 * The message with the calls that the model wrote as text made into calls, or as it is when there are none. Only for
 * messages without structured calls. A call whose end is missing makes the message one that was cut off. Never throws:
 * text in which nothing could be found is text.
 */
export function withExtractedCalls(
  message: AssistantMessage,
  tools: readonly ToolDefinition[],
  { family, trust }: Extraction,
): AssistantMessage {
  const text = textOfMessage(message);
  if (text === "" || tools.length === 0) return message;
  const { calls, content } = extracted(text, tools, family);
  if (calls.length === 0) return message;
  const parts: AssistantPart[] = message.content.filter((part) => part.type !== "text");
  if (content.trim() !== "") parts.push({ type: "text", text: content.trim() });
  for (const call of calls) {
    parts.push({
      type: "tool-call",
      id: newCallId(),
      name: call.name,
      arguments: call.arguments,
      ...(!trust && { extracted: call.family }),
    });
  }
  const finishReason = calls.every((call) => call.complete) ? message.finishReason : "length";
  return { ...message, content: parts, finishReason };
}

function extracted(text: string, tools: readonly ToolDefinition[], family: string | undefined): Extracted {
  try {
    return extract(text, { tools, family });
  } catch {
    return { calls: [], content: text };
  }
}
