import type { JsonSchema, ToolDefinition } from "@toolrig/core";
import type { Message } from "./message.ts";

/**
 * Calls of a response run only when it ended with "stop", "tool-calls" or "pause"; any other end means it may be incomplete.
 * "pause": the provider interrupted its own tools, and the model continues when it is asked with the same transcript.
 */
export type FinishReason = "stop" | "tool-calls" | "pause" | "length" | "content-filter" | "error" | "other";

/** Tokens of one response. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens?: number;
  /** Of the input, what the provider wrote to its cache. */
  cacheWriteTokens?: number;
  reasoningTokens?: number;
}

/** What a provider attached to a part. Plain JSON; sent back to it unread with the next request. */
export type Metadata = Record<string, unknown>;

export type EngineEvent =
  /** Text is appended to the part of that id, or to the last text part when none is given. Metadata replaces. */
  | { type: "text"; text: string; part?: string; metadata?: Metadata }
  | { type: "reasoning"; text: string; part?: string; metadata?: Metadata }
  /**
   * A call is being written: a preview for people. Only `tool-call` makes it one; without it the response was cut off
   * inside the call.
   */
  | { type: "tool-call-delta"; id: string; name: string; delta: string }
  | { type: "tool-call"; id: string; name: string; arguments: string; metadata?: Metadata }
  /** Something only the provider understands, to be sent back as it came; to no other provider where it is named. */
  | { type: "opaque"; value: unknown; provider?: string }
  | { type: "usage"; usage: Usage }
  /** The last event. A stream that ends without it was cut off. */
  | { type: "finish"; reason: FinishReason };

export interface EngineRequest {
  system?: string;
  /** A live view of the transcript: valid until the stream ends, never to be changed, and to be copied if kept. */
  messages: readonly Message[];
  /** The same array object for as long as the list has not changed, so that what is rendered from it can be kept. */
  tools: readonly ToolDefinition[];
  /** Asks for one JSON document. An engine without a JSON mode ignores it. */
  responseFormat?: { type: "json"; schema: JsonSchema; name?: string };
  signal: AbortSignal;
}

/**
 * A model behind one method. `stream` fails by throwing, at once or while it is read; what it throws is classified by
 * `faultOf`. It stops when the signal aborts, but nobody relies on it.
 */
export interface Engine {
  /** For events and messages, such as "openai:gpt-5". */
  readonly name: string;
  stream(request: EngineRequest): AsyncIterable<EngineEvent> | Iterable<EngineEvent>;
}

/** Input and output: what budgets count. */
export function tokensOf(usage: Usage | undefined): number {
  return usage === undefined ? 0 : usage.inputTokens + usage.outputTokens;
}

export function addUsage(total: Usage, more: Usage): void {
  total.inputTokens += more.inputTokens;
  total.outputTokens += more.outputTokens;
  if (more.cachedInputTokens !== undefined)
    total.cachedInputTokens = (total.cachedInputTokens ?? 0) + more.cachedInputTokens;
  if (more.cacheWriteTokens !== undefined)
    total.cacheWriteTokens = (total.cacheWriteTokens ?? 0) + more.cacheWriteTokens;
  if (more.reasoningTokens !== undefined)
    total.reasoningTokens = (total.reasoningTokens ?? 0) + more.reasoningTokens;
}
