import type { ModelMessage } from "ai";
import type { Seat } from "../beneath/seat.ts";
import type { Prompt } from "./language-model.ts";

/**
 * Tells the information-flow guard what only the loop sees: what the user wrote, and results that did not come through the
 * pipeline in this process, of whom nobody knows what they hold.
 */
export class Reading {
  readonly #seen = new WeakSet<object>();
  readonly #answered = new Set<string>();

  /** The guard has seen the result of this call. */
  answered(callId: string): void {
    this.#answered.add(callId);
  }

  tell({ flow, runId }: Seat, messages: readonly ModelMessage[]): void {
    if (flow === undefined) return;
    for (const message of messages) {
      if (this.#seen.has(message)) continue;
      this.#seen.add(message);
      if (message.role === "user") flow.userSaid(runId, textOf(message.content));
      if (message.role !== "tool") continue;
      for (const part of message.content)
        if (part.type === "tool-result" && !this.#answered.has(part.toolCallId))
          flow.outsiderSaid(runId, `a result of ${part.toolName}`);
    }
  }
}

function textOf(content: ModelMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** What people said through the AI SDK's own approval flow about a call, if they did. */
export function approvalIn(
  messages: readonly ModelMessage[],
  callId: string,
): { approved: boolean; reason?: string } | undefined {
  const asked = new Set<string>();
  for (const { role, content } of messages) {
    if (role !== "assistant" || typeof content === "string") continue;
    for (const part of content)
      if (part.type === "tool-approval-request" && part.toolCallId === callId) asked.add(part.approvalId);
  }
  for (const { role, content } of messages) {
    if (role !== "tool") continue;
    for (const part of content) {
      if (part.type !== "tool-approval-response" || !asked.has(part.approvalId)) continue;
      const { approved, reason } = part;
      return { approved, ...(reason !== undefined && { reason }) };
    }
  }
  return undefined;
}

/** Calls that people denied in the AI SDK's own flow: it tells the model, and nobody else. */
export function denialsIn(prompt: Prompt): { id: string; name: string; input: unknown; reason?: string }[] {
  const inputs = new Map<string, unknown>();
  const denials: ReturnType<typeof denialsIn> = [];
  for (const { role, content } of prompt) {
    if (role !== "assistant" && role !== "tool") continue;
    for (const part of content) {
      if (part.type === "tool-call") inputs.set(part.toolCallId, part.input);
      if (part.type !== "tool-result" || part.output.type !== "execution-denied") continue;
      const { toolCallId: id, toolName: name } = part;
      const { reason } = part.output;
      denials.push({ id, name, input: inputs.get(id), ...(reason !== undefined && { reason }) });
    }
  }
  return denials;
}
