import { declareOptions, type OptionTable, option } from "@toolrig/core/kit";
import type { RigLike } from "../beneath/rig-like.ts";
import { givenRunOption } from "../beneath/run-identity.ts";
import {
  type AnthropicEvent,
  type AnthropicResponse,
  type AnthropicResult,
  type AnthropicTool,
  anthropicFormat,
} from "./anthropic.ts";
import {
  type GeminiContent,
  type GeminiResponse,
  type GeminiResult,
  type GeminiTool,
  geminiFormat,
} from "./gemini.ts";
import {
  type ChatMessage,
  type ChatResponse,
  type ChatResult,
  type ChatTool,
  chatFormat,
} from "./openai-chat.ts";
import type { ChatEvent } from "./openai-chat-stream.ts";
import {
  type ResponsesEvent,
  type ResponsesItem,
  type ResponsesResponse,
  type ResponsesResult,
  type ResponsesTool,
  responsesFormat,
} from "./openai-responses.ts";
import { type VendorLoop, type VendorOptions, vendorLoop } from "./vendor-loop.ts";

export interface OpenAIOptions extends VendorOptions {
  /** Which of OpenAI's two ways of asking the loop uses. Default "responses". */
  api?: "responses" | "chat";
  /** Whether the vendor makes arguments fit the schemas, as far as those can be made so. Default true. */
  strict?: boolean;
}

export type OpenAILoop = VendorLoop<
  ResponsesTool,
  ResponsesResponse,
  ResponsesItem,
  ResponsesResult,
  ResponsesEvent
>;
export type OpenAIChatLoop = VendorLoop<ChatTool, ChatResponse, ChatMessage, ChatResult, ChatEvent>;
export type AnthropicLoop = VendorLoop<
  AnthropicTool,
  AnthropicResponse,
  Pick<AnthropicResponse, "role" | "content">,
  AnthropicResult,
  AnthropicEvent
>;
export type GeminiLoop = VendorLoop<GeminiTool, GeminiResponse, GeminiContent, GeminiResult, GeminiResponse>;

const vendorOptions = {
  run: givenRunOption(),
  onWaiting: option.oneOf(["hold", "return"]),
};
const openaiOptions = declareOptions("openai", {
  ...vendorOptions,
  api: option.oneOf(["responses", "chat"], { default: "responses" }),
  strict: option.flag({ default: true }),
} satisfies OptionTable<OpenAIOptions>);
const anthropicOptions = declareOptions("anthropic", vendorOptions satisfies OptionTable<VendorOptions>);
const geminiOptions = declareOptions("gemini", vendorOptions satisfies OptionTable<VendorOptions>);

/** The tools of a rig for a loop of one's own around OpenAI's API. Throws `OPTION_INVALID`. */
export function openai(rig: RigLike, options: OpenAIOptions & { api: "chat" }): OpenAIChatLoop;
export function openai(rig: RigLike, options?: OpenAIOptions & { api?: "responses" }): OpenAILoop;
export function openai(rig: RigLike, options: OpenAIOptions = {}): OpenAILoop | OpenAIChatLoop {
  const { api, strict } = openaiOptions.withDefaults(options);
  return api === "chat"
    ? vendorLoop(rig, options, chatFormat(strict))
    : vendorLoop(rig, options, responsesFormat(strict));
}

/** The tools of a rig for a loop of one's own around Anthropic's API. Throws `OPTION_INVALID`. */
export function anthropic(rig: RigLike, options: VendorOptions = {}): AnthropicLoop {
  anthropicOptions.check(options);
  return vendorLoop(rig, options, anthropicFormat);
}

/** The tools of a rig for a loop of one's own around Gemini's API. Throws `OPTION_INVALID`. */
export function gemini(rig: RigLike, options: VendorOptions = {}): GeminiLoop {
  geminiOptions.check(options);
  return vendorLoop(rig, options, geminiFormat);
}
