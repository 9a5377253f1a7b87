import type { ContentPart, DataLabels, ToolResult } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { FinishReason, Metadata, Usage } from "./engine.ts";

/**
 * A conversation as the loop keeps it: plain JSON, appended to and never changed. In a valid transcript every assistant
 * message with calls is followed at once by one tool message with exactly one result a call, in the same order.
 */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface SystemMessage {
  role: "system";
  content: string;
}

export interface UserMessage {
  role: "user";
  content: string | ContentPart[];
  /** Where a message came from that was not the task itself. */
  origin?: "steer" | "follow-up" | "format" | "result";
  /** What of it is the user's own, where words of others were filled in. Default: all of it. */
  said?: string;
  /** The source of a message that nobody trusted wrote. Its content is marked as data. */
  untrusted?: string;
  /** The call whose result this is, which came after the model had gone on. Its content is marked as data. */
  result?: Omit<ToolResultPart, "content">;
}

export interface AssistantMessage {
  role: "assistant";
  content: AssistantPart[];
  /** "aborted": the model was interrupted, and only what it had said by then is kept. */
  finishReason: FinishReason | "aborted";
  /** Of this response, and of those before it that failed and were asked for again. */
  usage?: Usage;
}

export type AssistantPart =
  | { type: "text"; text: string; metadata?: Metadata }
  | { type: "reasoning"; text: string; metadata?: Metadata }
  | ToolCallPart
  /** Something only the provider understands, sent back as it came, and to no other provider where it is named. */
  | { type: "opaque"; value: unknown; provider?: string };

export interface ToolCallPart {
  type: "tool-call";
  /** Unique within a run: a provider's id that repeats is replaced. */
  id: string;
  name: string;
  /** As the model wrote it. */
  arguments: string;
  metadata?: Metadata;
  /** The envelope family, when the call was found in the model's text. */
  extracted?: string;
}

export interface ToolMessage {
  role: "tool";
  results: ToolResultPart[];
}

export interface ToolResultPart {
  callId: string;
  name: string;
  executionId: string;
  isError: boolean;
  content: ContentPart[];
  /** What is known of the data. Not for the model. */
  labels?: DataLabels;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** An id for a call whose provider gave none, as every provider takes it: Mistral wants nine letters and digits. */
export function newCallId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => LETTERS[byte % 62]).join("");
}

export function callsOf(message: AssistantMessage): ToolCallPart[] {
  const calls: ToolCallPart[] = [];
  for (const part of message.content) if (part.type === "tool-call") calls.push(part);
  return calls;
}

/** The results that a message has, in their place or late. */
export function resultsIn(message: Message): readonly Omit<ToolResultPart, "content">[] {
  if (message.role === "tool") return message.results;
  return message.role === "user" && message.result !== undefined ? [message.result] : [];
}

export function textOfMessage(message: AssistantMessage): string {
  let text = "";
  for (const part of message.content) if (part.type === "text") text += part.text;
  return text;
}

/** What the runtime itself says of a call that came to no tool. */
const OWN_WORDS: DataLabels = { source: "toolrig" };
const OWN_REFUSALS: ReadonlySet<string> = new Set([
  "TOOL_NOT_FOUND",
  "TOOL_REPEATED",
  "TOOL_BUDGET_EXCEEDED",
]);

function labelsOf({ labels, failure, attempts, cached, replayed }: ToolResult): DataLabels | undefined {
  const ran = attempts > 0 || cached === true || replayed === true;
  const own = !ran && failure !== undefined && OWN_REFUSALS.has(failure.code);
  return labels ?? (own ? OWN_WORDS : undefined);
}

export function toolMessage(results: readonly ToolResult[]): ToolMessage {
  return {
    role: "tool",
    results: results.map((result) => {
      const { callId, name, executionId, isError, content } = result;
      const labels = labelsOf(result);
      return { callId, name, executionId, isError, content, ...defined({ labels }) };
    }),
  };
}
