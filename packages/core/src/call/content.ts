import { renderText } from "../plain.ts";

/** What the model reads. */
export type ContentPart = TextPart | ImagePart | ResourcePart;

export interface TextPart {
  type: "text";
  text: string;
}

export interface ImagePart {
  type: "image";
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface ResourcePart {
  type: "resource";
  uri: string;
  mimeType?: string;
  text?: string;
}

/** Whether a value is a content part: what tools and hooks give as one need not be. */
export function isContentPart(value: unknown): value is ContentPart {
  if (typeof value !== "object" || value === null) return false;
  const part = value as Record<string, unknown>;
  if (part.type === "text") return typeof part.text === "string";
  if (part.type === "image") return typeof part.data === "string" && typeof part.mimeType === "string";
  return part.type === "resource" && typeof part.uri === "string";
}

/** The text parts of a result, joined: what a caller that wants one string shows. */
export function textOf(content: readonly ContentPart[]): string {
  const [first] = content;
  if (content.length === 1 && first?.type === "text") return first.text;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Content for any value a tool returned. Never throws: what cannot be serialised is named in its place. */
export function render(value: unknown): ContentPart[] {
  return [{ type: "text", text: renderText(value) }];
}
