import type { ContentPart } from "@toolrig/core";
import { decode } from "@toolrig/core/json";
import type { AssistantPart, Message, ToolResultPart } from "../model/message.ts";
import type { AiSdkModel } from "./ai-sdk-model.ts";

type Version = AiSdkModel["specificationVersion"];
type Json = Record<string, unknown>;

interface Converted {
  /** The last message that is in `prompt`. */
  last: Message | undefined;
  count: number;
  prompt: Json[];
}

/**
 * Transcripts as prompts of the AI SDK. A message is converted once: as a transcript grows from turn to turn, only
 * what is new in it is read.
 */
export class AiSdkPrompts {
  readonly #version: Version;
  readonly #messages = new WeakMap<Message, Json>();
  readonly #transcripts = new WeakMap<readonly Message[], Converted>();

  constructor(version: Version) {
    this.#version = version;
  }

  of(messages: readonly Message[], system: string | undefined): Json[] {
    let known = this.#transcripts.get(messages);
    if (known === undefined || known.last !== messages[known.count - 1]) {
      known = { last: undefined, count: 0, prompt: [] };
      this.#transcripts.set(messages, known);
    }
    for (let next = messages[known.count]; next !== undefined; next = messages[known.count]) {
      known.prompt.push(this.#converted(next));
      known.last = next;
      known.count += 1;
    }
    // A list of its own: middleware may add to the one it gets.
    return system === undefined
      ? known.prompt.slice()
      : [{ role: "system", content: system }, ...known.prompt];
  }

  #converted(message: Message): Json {
    let converted = this.#messages.get(message);
    if (converted === undefined) {
      converted = convert(message, this.#version);
      this.#messages.set(message, converted);
    }
    return converted;
  }
}

function convert(message: Message, version: Version): Json {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return { role: "user", content: userContent(message.content, version) };
    case "assistant":
      return { role: "assistant", content: message.content.map(assistantPart) };
    case "tool":
      return { role: "tool", content: message.results.map((result) => toolResult(result, version)) };
  }
}

function userContent(content: string | ContentPart[], version: Version): Json[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    if (part.type === "image")
      return { type: "file", mediaType: part.mimeType, data: fileData(part.data, version) };
    return { type: "text", text: part.text ?? part.uri };
  });
}

function fileData(base64: string, version: Version): unknown {
  return version === "v4" ? { type: "data", data: base64 } : base64;
}

function assistantPart(part: AssistantPart): Json {
  if (part.type === "opaque") return part.value as Json;
  const options = part.metadata === undefined ? {} : { providerOptions: part.metadata };
  if (part.type !== "tool-call") return { type: part.type, text: part.text, ...options };
  return {
    type: "tool-call",
    toolCallId: part.id,
    toolName: part.name,
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

function toolResult({ callId, name, isError, content }: ToolResultPart, version: Version): Json {
  return {
    type: "tool-result",
    toolCallId: callId,
    toolName: name,
    output: output(content, isError, version),
  };
}

function output(content: readonly ContentPart[], isError: boolean, version: Version): Json {
  if (content.every((part) => part.type === "text")) {
    const value = content.map((part) => part.text).join("\n");
    return { type: isError ? "error-text" : "text", value };
  }
  return { type: "content", value: content.map((part) => outputPart(part, version)) };
}

function outputPart(part: ContentPart, version: Version): Json {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "resource") return { type: "text", text: part.text ?? part.uri };
  const { data, mimeType: mediaType } = part;
  if (version === "v2") return { type: "media", data, mediaType };
  if (version === "v3") return { type: "image-data", data, mediaType };
  return { type: "file", data: { type: "data", data }, mediaType };
}
