import { renderText } from "../plain.ts";

/** What the model reads. */
export type ContentPart = TextPart | ImagePart | AudioPart | ResourcePart;

/** What a part may say beside its content, for programs: models are not shown it. */
interface PartNotes {
  /** Who the part is for, and how much it matters. */
  annotations?: { audience?: ("user" | "assistant")[]; priority?: number; lastModified?: string };
  /** Data of the program that made the part, by keys such as "example.com/key". */
  meta?: Record<string, unknown>;
}

export interface TextPart extends PartNotes {
  type: "text";
  text: string;
}

export interface ImagePart extends PartNotes, FromResource {
  type: "image";
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface AudioPart extends PartNotes, FromResource {
  type: "audio";
  /** Base64. */
  data: string;
  mimeType: string;
}

/** Where a part is the content of a resource, or a resource itself. */
interface FromResource {
  uri?: string;
  /** The connection to an MCP server that knows the URI. */
  source?: string;
  /** As `meta`, of the resource itself. */
  resourceMeta?: Record<string, unknown>;
}

export interface ResourcePart extends PartNotes, FromResource {
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
  /** Of a link: pictures that stand for it. */
  icons?: { src: string; mimeType?: string; sizes?: string[]; theme?: "light" | "dark" }[];
  /** Bytes of the resource, of a link or of what `artifact` keeps. */
  size?: number;
  /** The id under which the artifact store keeps the bytes, where they are too many for a result. */
  artifact?: string;
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
