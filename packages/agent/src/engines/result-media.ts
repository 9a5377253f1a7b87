import type { ContentPart } from "@toolrig/core";
import type { ToolResultPart } from "../model/message.ts";

type Media = Extract<ContentPart, { type: "image" | "audio" }>;

/** Packages whose wire format has images in tool results. The others write a result of several parts as JSON text, base64 included. */
const TAKES_MEDIA_IN_RESULTS = /^(anthropic|google|vertex|amazon-bedrock)\b|\banthropic\b|\.responses$/;

/** Whether media of a result are sent in a user message behind the results. */
export function sendsMediaApart(provider: string): boolean {
  return !TAKES_MEDIA_IN_RESULTS.test(provider);
}

/** Chat completions take these formats of audio, Mistral takes none. Packages throw for every other one. */
const AUDIO = /^audio\/(wav|mp3|mpeg)$/;

export function isSendable({ type, mimeType }: Media, provider: string): boolean {
  return type === "image" || (AUDIO.test(mimeType) && !provider.startsWith("mistral"));
}

/** The media of successful results that are sent apart, each with the call that they belong to. */
export function mediaApart(
  results: readonly ToolResultPart[],
  provider: string,
): { callId: string; name: string; media: Media }[] {
  return results.flatMap(({ callId, name, isError, content }) =>
    isError
      ? []
      : content
          .filter((part) => part.type === "image" || part.type === "audio")
          .filter((media) => isSendable(media, provider))
          .map((media) => ({ callId, name, media })),
  );
}
