import { shown } from "../beneath/shown.ts";
import { projectAnthropic } from "../schema/project.ts";
import { objectOf, written } from "./taken-back.ts";
import type { VendorFormat } from "./vendor-loop.ts";

export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
}

/** A message of Anthropic's, by what is read of it. */
export interface AnthropicResponse {
  role: "assistant";
  // The blocks are those of the vendor's own types, which hold much more.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  content: any[];
  stop_reason: string | null;
}

export interface AnthropicEvent {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: events of a dozen kinds, told apart by their type
  [field: string]: any;
}

interface ResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content: (
    | { type: "text"; text: string }
    | { type: "image"; source: { type: "base64"; media_type: ImageType; data: string } }
  )[];
  is_error?: true;
}

type ImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

export interface AnthropicResult {
  role: "user";
  content: ResultBlock[];
}

const WHOLE: ReadonlySet<string | null> = new Set(["tool_use", "end_turn", "stop_sequence", "pause_turn"]);
const IMAGES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** The text of which a block's input was made, for the record: what the text says is in the block. */
const texts = new WeakMap<object, string>();

export const anthropicFormat: VendorFormat<
  AnthropicTool,
  AnthropicResponse,
  Pick<AnthropicResponse, "role" | "content">,
  AnthropicResult,
  AnthropicEvent
> = {
  field: "content",

  project: projectAnthropic,

  definitions: (tools) =>
    tools.map(({ name, description, schema }) => ({
      name,
      description,
      input_schema: { ...schema, type: "object" },
    })),

  read(response) {
    const { stop_reason: reason = null } = response ?? {};
    const calls = blocksOf(response).filter((block) => block?.type === "tool_use");
    return {
      calls: calls.map((block) => {
        const text = texts.get(block);
        const isAsWritten =
          text !== undefined && JSON.stringify(objectOf(text)) === JSON.stringify(block.input);
        return {
          id: block.id,
          name: block.name ?? "",
          ...(isAsWritten ? { arguments: text } : written(block.input)),
        };
      }),
      cut: WHOLE.has(reason) ? undefined : (reason ?? "the stream broke off"),
    };
  },

  said(response) {
    const { role = "assistant", content } = response ?? {};
    return content === undefined || content === null || content.length === 0 ? [] : [{ role, content }];
  },

  messages(answered) {
    const blocks = answered.map(({ id = "", result }): ResultBlock => {
      const { isError, text, images } = shown(result);
      const taken = isError ? [] : images.filter(({ mimeType }) => IMAGES.has(mimeType));
      const others = images.length - taken.length;
      const told = [text, ...(others > 0 ? [`[${others} image(s) that cannot be shown]`] : [])]
        .filter(Boolean)
        .join("\n");
      return {
        type: "tool_result",
        tool_use_id: id,
        content: [
          ...(told === "" ? [] : [{ type: "text" as const, text: told }]),
          ...taken.map(({ data, mimeType }) => ({
            type: "image" as const,
            source: { type: "base64" as const, media_type: mimeType as ImageType, data },
          })),
        ],
        ...(isError && { is_error: true as const }),
      };
    });
    return [{ role: "user", content: blocks }];
  },

  async collect(events) {
    const response: AnthropicResponse = { role: "assistant", content: [], stop_reason: null };
    const inputs = new Map<number, string>();
    for await (const event of events) {
      const { type, index = 0, delta } = event;
      if (type === "message_start")
        Object.assign(response, event.message, { content: [], stop_reason: null });
      if (type === "content_block_start") response.content[index] = { ...event.content_block };
      if (type === "content_block_delta") append(response.content[index] ?? {}, delta, index, inputs);
      if (type === "message_delta") Object.assign(response, delta);
    }
    for (const [index, text] of inputs) {
      const block = response.content[index];
      // Of a block that never began nobody knows what it is.
      if (block === undefined) continue;
      if (text !== "") texts.set(block, text);
      block.input = objectOf(text);
    }
    response.content = response.content.filter((block) => block !== undefined);
    return response;
  },
};

/** Text alone, as in messages of the user, holds no calls. */
function blocksOf(response: AnthropicResponse | null | undefined): AnthropicResponse["content"] {
  return Array.isArray(response?.content) ? response.content : [];
}

// biome-ignore lint/suspicious/noExplicitAny: a block of the vendor's
function append(block: any, delta: any, index: number, inputs: Map<number, string>): void {
  if (delta?.type === "input_json_delta") inputs.set(index, (inputs.get(index) ?? "") + delta.partial_json);
  if (delta?.type === "text_delta") block.text = (block.text ?? "") + delta.text;
  if (delta?.type === "thinking_delta") block.thinking = (block.thinking ?? "") + delta.thinking;
  if (delta?.type === "signature_delta") block.signature = (block.signature ?? "") + delta.signature;
}
