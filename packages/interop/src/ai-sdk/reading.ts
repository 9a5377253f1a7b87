import type { ModelMessage } from "ai";
import type { Seat } from "../beneath/seat.ts";
import { spokenText } from "./conversation.ts";

/**
 * Tells the information-flow guard what only the loop sees: what the user wrote, and results that did not come through the
 * pipeline in this run, of whom nobody knows what they hold.
 */
export class Reading {
  readonly #seen = new WeakSet<object>();
  readonly #answered = new Set<string>();

  /** The guard has seen the result of this call. */
  answered(callId: string, toolName: string): void {
    this.#answered.add(keyOf(callId, toolName));
  }

  tell({ flow, runId }: Seat, messages: readonly ModelMessage[]): void {
    if (flow === undefined) return;
    for (const message of messages) {
      if (this.#seen.has(message)) continue;
      this.#seen.add(message);
      const { role, content } = message;
      if (role === "user") flow.userSaid(runId, spokenText(content));
      if ((role !== "tool" && role !== "assistant") || typeof content === "string") continue;
      for (const part of content) {
        if (part.type !== "tool-result") continue;
        // What stands in the model's own message was brought by its provider.
        if (role === "assistant" || !this.#answered.has(keyOf(part.toolCallId, part.toolName)))
          flow.outsiderSaid(runId, `a result of ${part.toolName}`);
      }
    }
  }
}

function keyOf(callId: string, toolName: string): string {
  return JSON.stringify([callId, toolName]);
}
