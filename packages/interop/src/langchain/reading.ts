import { broughtBy, isFilled } from "../beneath/brought.ts";
import type { StandingResult } from "../beneath/known-results.ts";
import { type LangChainMessage, typeOf } from "./shape.ts";

/** What stands in a conversation that its model did not write itself: results of tools, and what its provider found. */
export function* resultsIn(messages: readonly LangChainMessage[]): Generator<StandingResult> {
  for (const message of messages) {
    const type = typeOf(message);
    if (type === "tool" || type === "function") yield standing(message);
    if (type !== "ai") continue;
    for (const name of new Set(broughtInto(message))) yield { callId: message.id ?? "", name, text: "" };
  }
}

const seen = new WeakMap<LangChainMessage, { content: unknown; standing: StandingResult }>();

/** The same while the message says the same. */
function standing(message: LangChainMessage): StandingResult {
  const { tool_call_id: callId = "", name = "a tool", content } = message;
  const last = seen.get(message);
  if (last !== undefined && last.content === content && typeof content === "string") return last.standing;
  const made = { callId, name, text: contentText(content) };
  seen.set(message, { content, standing: made });
  return made;
}

/** Of what a message says, the same text whenever it says the same. */
export function contentText(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}

function broughtInto({ content, additional_kwargs, response_metadata }: LangChainMessage): string[] {
  const { tool_outputs: outputs } = additional_kwargs ?? {};
  const { groundingMetadata, grounding_metadata: grounding = groundingMetadata } = response_metadata ?? {};
  return [
    ...broughtBy(content),
    ...(isFilled(outputs) ? ["a tool of the provider"] : []),
    ...(typeof grounding === "object" && grounding !== null ? ["a search of the provider"] : []),
  ];
}
