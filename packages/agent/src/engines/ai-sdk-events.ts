import type { EngineEvent, FinishReason, Usage } from "../model/engine.ts";
import { faultOf } from "../model/faults.ts";
import type { AiSdkPart, AiSdkResponse, AiSdkUsage } from "./ai-sdk-model.ts";

/**
 * The events of a streamed response. Throws a `ModelFault` where the stream reports an error. Left early or aborted, it
 * closes the connection.
 */
export async function* streamedEvents(
  stream: ReadableStream<AiSdkPart>,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent> {
  const names = new Map<string, string>();
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
      yield* partEvents(step.value, names);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    if (!done) cancel();
  }
}

/** The events of a response that came at once. */
export function* responseEvents({ content, finishReason, usage }: AiSdkResponse): Generator<EngineEvent> {
  for (const [index, part] of content.entries()) {
    if (part.type === "text" || part.type === "reasoning") {
      yield { ...textual(part.type, part), text: part.text ?? "", part: String(index) };
    } else {
      yield* partEvents(part, new Map());
    }
  }
  yield* ending(finishReason, usage);
}

function* partEvents(part: AiSdkPart, names: Map<string, string>): Generator<EngineEvent> {
  switch (part.type) {
    case "text-start":
    case "text-delta":
    case "text-end":
      yield textual("text", part);
      return;
    case "reasoning-start":
    case "reasoning-delta":
    case "reasoning-end":
      yield textual("reasoning", part);
      return;
    case "tool-input-start":
      if (part.providerExecuted !== true && part.inputEncoding !== "text")
        names.set(part.id ?? "", part.toolName ?? "");
      return;
    case "tool-input-delta": {
      const { id = "", delta = "" } = part;
      const name = names.get(id);
      if (name !== undefined) yield { type: "tool-call-delta", id, name, delta };
      return;
    }
    case "tool-call":
      yield toolCall(part);
      return;
    case "finish":
      yield* ending(part.finishReason, part.usage);
      return;
    case "error":
      throw faultOf(part.error);
    default: {
      const value = echoed(part);
      if (value !== undefined) yield { type: "opaque", value };
    }
  }
}

function textual(
  type: "text" | "reasoning",
  part: AiSdkPart,
): Extract<EngineEvent, { type: "text" | "reasoning" }> {
  return {
    type,
    text: part.delta ?? "",
    ...(part.id !== undefined && { part: part.id }),
    ...(part.providerMetadata !== undefined && { metadata: part.providerMetadata }),
  };
}

function toolCall(part: AiSdkPart): EngineEvent {
  const { toolCallId = "", toolName = "", input, providerMetadata } = part;
  if (part.providerExecuted === true) return { type: "opaque", value: providerCall(part) };
  return {
    type: "tool-call",
    id: toolCallId,
    name: toolName,
    arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}),
    ...(providerMetadata !== undefined && { metadata: providerMetadata }),
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
    ...(providerMetadata !== undefined && { providerOptions: providerMetadata }),
  };
}

/** Parts that a provider wants to see again. Sources, warnings, pings and the like are for people and go nowhere. */
function echoed(part: AiSdkPart): unknown {
  const { toolCallId, toolName, data, mediaType, kind, providerMetadata } = part;
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  if (part.type === "tool-result" && part.preliminary !== true) {
    const output = { type: part.isError === true ? "error-json" : "json", value: part.result ?? null };
    return { type: "tool-result", toolCallId, toolName, output, ...options };
  }
  if (part.type === "custom") return { type: "custom", kind, ...options };
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

function* ending(
  reason: string | { unified: string } | undefined,
  usage: AiSdkUsage | undefined,
): Generator<EngineEvent> {
  if (usage !== undefined) yield { type: "usage", usage: usageOf(usage) };
  yield { type: "finish", reason: finishReason(typeof reason === "string" ? reason : reason?.unified) };
}

const REASONS: ReadonlySet<unknown> = new Set(["stop", "tool-calls", "length", "content-filter", "error"]);

function finishReason(reason: string | undefined): FinishReason {
  return REASONS.has(reason) ? (reason as FinishReason) : "other";
}

function usageOf({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens }: AiSdkUsage): Usage {
  const input =
    typeof inputTokens === "object" ? inputTokens : { total: inputTokens, cacheRead: cachedInputTokens };
  const output =
    typeof outputTokens === "object" ? outputTokens : { total: outputTokens, reasoning: reasoningTokens };
  const usage: Usage = { inputTokens: input.total ?? 0, outputTokens: output.total ?? 0 };
  if (input.cacheRead !== undefined) usage.cachedInputTokens = input.cacheRead;
  if (output.reasoning !== undefined) usage.reasoningTokens = output.reasoning;
  return usage;
}
