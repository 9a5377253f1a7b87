import type { ContentPart } from "@toolrig/core";
import { vendorName } from "@toolrig/core/kit";
import { decode } from "@toolrig/json";
import type { Metadata } from "../model/engine.ts";
import { type AssistantPart, callsOf, type Message, type ToolResultPart } from "../model/message.ts";
import type { AiSdkModel } from "./ai-sdk-model.ts";
import { isSendable, mediaApart, sendsMediaApart } from "./result-media.ts";

/** Whom a prompt is for. */
type Target = Pick<AiSdkModel, "specificationVersion" | "provider">;
type Version = AiSdkModel["specificationVersion"];
type Json = Record<string, unknown>;
type Prompted = { role: string; content: string | Json[] };

interface Converted {
  /** The last message that is in `prompt`. */
  last: Message | undefined;
  count: number;
  prompt: Prompted[];
}

/**
 * Transcripts as prompts of the AI SDK. A message is converted once: as a transcript grows from turn to turn, only
 * what is new in it is read.
 */
export class AiSdkPrompts {
  readonly #model: Target;
  readonly #messages = new WeakMap<Message, Prompted[]>();
  readonly #transcripts = new WeakMap<readonly Message[], Converted>();

  constructor(model: Target) {
    this.#model = model;
  }

  of(messages: readonly Message[], system: string | undefined): Prompted[] {
    let known = this.#transcripts.get(messages);
    if (known === undefined || known.last !== messages[known.count - 1]) {
      known = { last: undefined, count: 0, prompt: [] };
      this.#transcripts.set(messages, known);
    }
    for (let next = messages[known.count]; next !== undefined; next = messages[known.count]) {
      // A message in which all was another provider's has no content left, and no provider takes one without content.
      for (const converted of this.#converted(next, known.last))
        if (converted.content.length !== 0) known.prompt.push(converted);
      known.last = next;
      known.count += 1;
    }
    // A list of its own: middleware may add to the one it gets.
    return system === undefined
      ? known.prompt.slice()
      : [{ role: "system", content: system }, ...known.prompt];
  }

  #converted(message: Message, previous: Message | undefined): Prompted[] {
    let converted = this.#messages.get(message);
    if (converted === undefined) {
      converted = convert(message, previous, this.#model);
      this.#messages.set(message, converted);
    }
    return converted;
  }
}

function convert(message: Message, previous: Message | undefined, target: Target): Prompted[] {
  const { specificationVersion: version, provider } = target;
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }];
    case "user":
      return [{ role: "user", content: userContent(message.content, version) }];
    case "assistant":
      return [{ role: "assistant", content: message.content.filter(isFor(provider)).map(assistantPart) }];
    case "tool": {
      const calls = new Map(
        previous?.role === "assistant" ? callsOf(previous).map((call) => [call.id, call]) : [],
      );
      const options = ({ callId }: ToolResultPart) => optionsOf(calls.get(callId)?.metadata);
      const content = message.results.map((each) => ({ ...toolResult(each, target), ...options(each) }));
      return [{ role: "tool", content }, ...mediaMessage(message.results, target)];
    }
  }
}

/** A user message with the media of the results, for providers that have no form for them in a result. */
function mediaMessage(
  results: readonly ToolResultPart[],
  { specificationVersion: version, provider }: Target,
): Prompted[] {
  if (!sendsMediaApart(provider)) return [];
  const content = mediaApart(results, provider).flatMap(({ callId, name, media }): Json[] => [
    { type: "text", text: `The ${media.type} in the result of ${name} (${callId}):` },
    ...userContent([media], version),
  ]);
  return content.length === 0 ? [] : [{ role: "user", content }];
}

function userContent(content: string | ContentPart[], version: Version): Json[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    if (part.type === "image" || part.type === "audio")
      return { type: "file", mediaType: part.mimeType, data: fileData(part.data, version) };
    return { type: "text", text: part.text ?? part.uri };
  });
}

function fileData(base64: string, version: Version): unknown {
  return version === "v4" ? { type: "data", data: base64 } : base64;
}

/** After a change of engine: what only another provider understands, this one may refuse. */
function isFor(provider: string): (part: AssistantPart) => boolean {
  return (part) => part.type !== "opaque" || part.provider === undefined || part.provider === provider;
}

/** A result carries what its provider attached to the call: some look for it there. */
function optionsOf(metadata: Metadata | undefined): { providerOptions?: Metadata } {
  return metadata === undefined ? {} : { providerOptions: metadata };
}

function assistantPart(part: AssistantPart): Json {
  if (part.type === "opaque") return part.value as Json;
  const options = optionsOf(part.metadata);
  if (part.type !== "tool-call") return { type: part.type, text: part.text, ...options };
  return {
    type: "tool-call",
    toolCallId: part.id,
    toolName: vendorName(part.name),
    input: argumentsOf(part.arguments),
    ...options,
  };
}

/** Providers want an object. What the model wrote is read as it was read for the tool, or shown as it is. */
function argumentsOf(text: string): Json {
  const decoded = decode(text, { schema: { type: "object" } });
  if (
    decoded.ok &&
    typeof decoded.value === "object" &&
    decoded.value !== null &&
    !Array.isArray(decoded.value)
  ) {
    return decoded.value as Json;
  }
  return { unreadable_arguments: text };
}

function toolResult({ callId, name, isError, content }: ToolResultPart, target: Target): Json {
  return {
    type: "tool-result",
    toolCallId: callId,
    toolName: vendorName(name),
    output: output(content, isError, target),
  };
}

/** An error holds text only: that is all there is a form for, and all that Anthropic takes. */
function output(
  content: readonly ContentPart[],
  isError: boolean,
  { specificationVersion: version, provider }: Target,
): Json {
  if (isError) return { type: "error-text", value: content.map(asText).join("\n") };
  if (sendsMediaApart(provider))
    return { type: "text", value: content.map((part) => announced(part, provider)).join("\n") };
  if (content.every((part) => part.type === "text"))
    return { type: "text", value: content.map(asText).join("\n") };
  return { type: "content", value: content.map((part) => outputPart(part, version)) };
}

/** Text in a result that stands for what the next message holds. */
function announced(part: ContentPart, provider: string): string {
  const isMedia = part.type === "image" || part.type === "audio";
  return isMedia && isSendable(part, provider) ? `[${part.type}: see the next message]` : asText(part);
}

function asText(part: ContentPart): string {
  if (part.type === "audio") return `[audio of type ${part.mimeType} was left out]`;
  if (part.type === "image") return `[an image of type ${part.mimeType} was left out]`;
  return part.type === "text" ? part.text : (part.text ?? part.uri);
}

function outputPart(part: ContentPart, version: Version): Json {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "resource") return { type: "text", text: part.text ?? part.uri };
  const { data, mimeType: mediaType } = part;
  if (version === "v2") return { type: "media", data, mediaType };
  if (version === "v3") return { type: part.type === "image" ? "image-data" : "file-data", data, mediaType };
  return { type: "file", data: { type: "data", data }, mediaType };
}
