import { renderText } from "../plain.ts";

/** What the model reads. */
export type ContentPart = TextPart | ImagePart | AudioPart | ResourcePart;

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

export interface AudioPart {
  type: "audio";
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface ResourcePart {
  type: "resource";
  uri: string;
  mimeType?: string;
  /** Absent: a link to the resource. */
  text?: string;
  /** Base64 of its bytes. `text` then says what they are, for those who read text alone. */
  data?: string;
  /** Of a link: what people are shown. */
  name?: string;
  title?: string;
  description?: string;
  /** Of a link: bytes of the resource. */
  size?: number;
}

/** Whether a value is a content part: what tools and hooks give as one need not be. */
export function isContentPart(value: unknown): value is ContentPart {
  if (typeof value !== "object" || value === null) return false;
  const part = value as Record<string, unknown>;
  if (part.type === "text") return typeof part.text === "string";
  if (part.type === "image" || part.type === "audio")
    return typeof part.data === "string" && typeof part.mimeType === "string";
  return part.type === "resource" && typeof part.uri === "string";
}

/** The text parts of a result, joined: what a caller that wants one string shows. */
export function textOf(content: readonly ContentPart[]): string {
  const [first] = content;
  if (content.length === 1 && first?.type === "text") return first.text;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** The text of content, also that of resources, and what is left without it. */
export function splitText(content: readonly ContentPart[]): { text: string; others: ContentPart[] } {
  const texts = content.flatMap((part) => textIn(part) ?? []);
  return { text: texts.join("\n"), others: content.flatMap(withoutText) };
}

/** The text of a part; a resource may hold some, too. */
export function textIn(part: ContentPart): string | undefined {
  return part.type === "image" || part.type === "audio" ? undefined : part.text;
}

function withoutText(part: ContentPart): ContentPart[] {
  if (part.type === "text") return [];
  if (part.type === "image" || part.type === "audio" || part.text === undefined) return [part];
  const { text: _, ...rest } = part;
  return [rest];
}

/** The nearest place to cut a text at: never between the two halves of a character. */
export function cutPlace(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index + 1 : index;
}

/** Content for any value a tool returned. Never throws: what cannot be serialised is named in its place. */
export function render(value: unknown): ContentPart[] {
  return [{ type: "text", text: renderText(value) }];
}
