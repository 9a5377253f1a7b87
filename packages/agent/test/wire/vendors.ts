import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createMistral } from "@ai-sdk/mistral";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { AiSdkModel } from "../../src/index.ts";

export const VENDOR_NAMES = [
  "openai responses",
  "openai chat",
  "anthropic",
  "google",
  "mistral",
  "openai-compatible",
] as const;

export type VendorName = (typeof VENDOR_NAMES)[number];

const apiKey = "test";

/** Models of the real packages, which ask a wire server. */
export const VENDORS: Readonly<Record<VendorName, (origin: string) => AiSdkModel>> = {
  "openai responses": (origin) => createOpenAI({ baseURL: `${origin}/v1`, apiKey }).responses("o4-mini"),
  "openai chat": (origin) => createOpenAI({ baseURL: `${origin}/v1`, apiKey }).chat("m"),
  anthropic: (origin) => createAnthropic({ baseURL: `${origin}/v1`, apiKey })("m"),
  google: (origin) => createGoogleGenerativeAI({ baseURL: `${origin}/v1beta`, apiKey })("m"),
  mistral: (origin) => createMistral({ baseURL: `${origin}/mistral/v1`, apiKey })("m"),
  "openai-compatible": (origin) =>
    createOpenAICompatible({ name: "local", baseURL: `${origin}/v1`, includeUsage: true })("m"),
};
