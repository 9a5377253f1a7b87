import { defined } from "@toolrig/core/kit";
import type { EngineEvent, FinishReason, Usage } from "../model/engine.ts";
import { faultOf } from "../model/faults.ts";
import type { AiSdkFinish, AiSdkPart, AiSdkResponse, AiSdkUsage } from "./ai-sdk-model.ts";

/**
 * The events of a streamed response. Throws a `ModelFault` where the stream reports an error. Left early or aborted, it
 * closes the connection.
 */
export async function* streamedEvents(
  stream: ReadableStream<AiSdkPart>,
  provider: string,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent> {
  const begun = new Begun(provider);
  const reader = stream.getReader();
  // A stream that is stuck never answers; nobody waits for it.
  const cancel = () => void reader.cancel(signal.reason).then(undefined, () => {});
  signal.addEventListener("abort", cancel, { once: true });
  let done = false;
  try {
    for (;;) {
      const step = await reader.read();
      done = step.done;
      if (step.done) return;
      yield* partEvents(step.value, begun);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    if (!done) cancel();
  }
}

/** What a response has begun, so that what follows can be told apart, and whose it is. */
class Begun {
  readonly provider: string;
  /** The names of calls that are being written. */
  readonly calls = new Map<string, string>();
  /** How often a text or reasoning of an id was begun: providers use ids again once a part has ended. */
  readonly #parts = new Map<string, number>();

  constructor(provider: string) {
    this.provider = provider;
  }

  part(kind: "text" | "reasoning", id: string): void {
    const key = `${kind}:${id}`;
    this.#parts.set(key, (this.#parts.get(key) ?? 0) + 1);
  }

  /** The id of a part as no other part of the response has it. */
  idOf(kind: "text" | "reasoning", id: string): string {
    const count = this.#parts.get(`${kind}:${id}`) ?? 1;
    return count === 1 ? id : `${id}#${count}`;
  }
}

/** The events of a response that came at once: it is complete, whether or not it says how it ended. */
export function* responseEvents(
  { content, finishReason, usage }: AiSdkResponse,
  provider: string,
): Generator<EngineEvent> {
  for (const [index, part] of content.entries()) {
    if (part.type === "text" || part.type === "reasoning") {
      yield { ...textual(part.type, part), text: part.text ?? "", part: String(index) };
    } else {
      yield* partEvents(part, new Begun(provider));
    }
  }
  if (usage !== undefined) yield { type: "usage", usage: usageOf(usage, provider) };
  yield { type: "finish", reason: finishReasonOf(finishReason) };
}

function* partEvents(part: AiSdkPart, begun: Begun): Generator<EngineEvent> {
  switch (part.type) {
    case "text-start":
    case "text-delta":
    case "text-end":
      yield streamed("text", part, begun);
      return;
    case "reasoning-start":
    case "reasoning-delta":
    case "reasoning-end":
      yield streamed("reasoning", part, begun);
      return;
    case "tool-input-start":
      if (part.providerExecuted === true || part.inputEncoding === "text") return;
      begun.calls.set(part.id ?? "", part.toolName ?? "");
      yield callDelta(part, begun);
      return;
    case "tool-input-delta":
      if (begun.calls.has(part.id ?? "")) yield callDelta(part, begun);
      return;
    case "tool-call":
      yield toolCall(part, begun);
      return;
    case "finish":
      if (part.usage !== undefined) yield { type: "usage", usage: usageOf(part.usage, begun.provider) };
      if (!isCutOff(part.finishReason)) yield { type: "finish", reason: finishReasonOf(part.finishReason) };
      return;
    case "error":
      throw faultOf(part.error);
    default: {
      const value = echoed(part);
      if (value !== undefined) yield { type: "opaque", value, provider: begun.provider };
    }
  }
}

function streamed(
  kind: "text" | "reasoning",
  part: AiSdkPart,
  begun: Begun,
): Extract<EngineEvent, { type: "text" | "reasoning" }> {
  const event = textual(kind, part);
  if (part.id === undefined) return event;
  if (part.type === `${kind}-start`) begun.part(kind, part.id);
  return { ...event, part: begun.idOf(kind, part.id) };
}

/** The start of a call is a delta without text: a call that is cut off before its first argument is one all the same. */
function callDelta({ id = "", delta = "" }: AiSdkPart, { calls }: Begun): EngineEvent {
  return { type: "tool-call-delta", id, name: calls.get(id) ?? "", delta };
}

function textual(
  type: "text" | "reasoning",
  part: AiSdkPart,
): Extract<EngineEvent, { type: "text" | "reasoning" }> {
  return {
    type,
    text: part.delta ?? "",
    ...defined({ metadata: part.providerMetadata }),
  };
}

function toolCall(part: AiSdkPart, { provider }: Begun): EngineEvent {
  const { toolCallId = "", toolName = "", input, providerMetadata } = part;
  if (part.providerExecuted === true) return { type: "opaque", value: providerCall(part), provider };
  return {
    type: "tool-call",
    id: toolCallId,
    name: toolName,
    arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}),
    ...defined({ metadata: providerMetadata }),
  };
}

/** A call that the provider has run itself: it goes back as it came. */
function providerCall({ toolCallId, toolName, input, providerMetadata }: AiSdkPart): unknown {
  return {
    type: "tool-call",
    toolCallId,
    toolName,
    input: parsed(input),
    providerExecuted: true,
    ...defined({ providerOptions: providerMetadata }),
  };
}

/** Says that a response begins and holds nothing of it: a response with nothing else is empty. */
const MESSAGE_START = "anthropic.message_start";

/** Parts that a provider wants to see again. Sources, warnings, pings and the like are for people and go nowhere. */
function echoed(part: AiSdkPart): unknown {
  const { toolCallId, toolName, data, mediaType, kind, providerMetadata } = part;
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  if (part.type === "tool-result" && part.preliminary !== true) {
    const output = { type: part.isError === true ? "error-json" : "json", value: part.result ?? null };
    return { type: "tool-result", toolCallId, toolName, output, ...options };
  }
  if (part.type === "custom" && kind !== MESSAGE_START) return { type: "custom", kind, ...options };
  if (part.type === "file" || part.type === "reasoning-file") {
    return { type: part.type, data: plainData(data), mediaType, ...options };
  }
  return undefined;
}

/** Transcripts are JSON: bytes become base64, which every version takes in their place. */
function plainData(data: unknown): unknown {
  if (data instanceof Uint8Array) return base64(data);
  const { type, data: inner } = (data ?? {}) as { type?: unknown; data?: unknown };
  return type === "data" && inner instanceof Uint8Array ? { type, data: base64(inner) } : data;
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function parsed(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    return {};
  }
}

/**
 * Whether a stream ended without its provider saying why. The AI SDK closes such a stream with a reason of its own:
 * "interrupted", "other" with nothing from the provider behind it, or "unknown" in version 2.
 */
function isCutOff(finish: AiSdkFinish | undefined): boolean {
  if (typeof finish !== "object" || finish === null) return finish === undefined || finish === "unknown";
  return finish.unified === "interrupted" || (finish.unified === "other" && (finish.raw ?? "") === "");
}

const REASONS: ReadonlySet<unknown> = new Set(["stop", "tool-calls", "length", "content-filter", "error"]);

/** Words of servers that the AI SDK does not know, and that say that the response came to its end. */
const COMPLETE = /^(tool_use|tool_call|function_call|eos|eos_token|end|end_turn|stop_sequence|completed?)$/i;

/** Anthropic's word for a turn that its own tools took too long for. The AI SDK calls it "stop". */
const PAUSED = "pause_turn";

function finishReasonOf(finish: AiSdkFinish | undefined): FinishReason {
  const { unified, raw = "" } = typeof finish === "string" ? { unified: finish } : (finish ?? {});
  if (raw === PAUSED) return "pause";
  if (REASONS.has(unified)) return unified as FinishReason;
  return COMPLETE.test(raw) ? "stop" : "other";
}

/** Version 2 passes on what providers count; these count what they read from their cache apart. */
const COUNTS_CACHED_APART = /anthropic|bedrock/;

function usageOf(
  { inputTokens, outputTokens, cachedInputTokens, reasoningTokens }: AiSdkUsage,
  provider: string,
): Usage {
  const apart = COUNTS_CACHED_APART.test(provider) ? (cachedInputTokens ?? 0) : 0;
  const input =
    typeof inputTokens === "object"
      ? inputTokens
      : { total: (inputTokens ?? 0) + apart, cacheRead: cachedInputTokens, cacheWrite: undefined };
  const output =
    typeof outputTokens === "object" ? outputTokens : { total: outputTokens, reasoning: reasoningTokens };
  const usage: Usage = { inputTokens: input.total ?? 0, outputTokens: output.total ?? 0 };
  if (input.cacheRead !== undefined) usage.cachedInputTokens = input.cacheRead;
  if (input.cacheWrite !== undefined && input.cacheWrite > 0) usage.cacheWriteTokens = input.cacheWrite;
  if (output.reasoning !== undefined) usage.reasoningTokens = output.reasoning;
  return usage;
}
