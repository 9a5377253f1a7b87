import { type ContentPart, render } from "../call/content.ts";
import { defined } from "../defined.ts";

/** What an AI SDK tool's `toModelOutput` answers: a kind and what belongs to it. */
export interface AiSdkOutput {
  type?: string;
  value?: unknown;
  reason?: unknown;
}

const ERRORS: ReadonlySet<unknown> = new Set(["error-text", "error-json", "execution-denied"]);

export function isErrorOutput({ type }: AiSdkOutput): boolean {
  return ERRORS.has(type);
}

/** The content that the AI SDK would have sent to the model. */
export function contentOfOutput({ type, value, reason }: AiSdkOutput): ContentPart[] {
  if (type === "execution-denied") return render(reason ?? "The tool denied the call.");
  if (type !== "content" || !Array.isArray(value)) return render(value);
  return value.flatMap((part: unknown) => contentOfPart(part));
}

/** Parts differ between versions of the SDK: data stands in the part itself or in an object that says what it is. */
function contentOfPart(part: unknown): ContentPart[] {
  if (typeof part !== "object" || part === null) return render(part);
  const { type, text, mediaType, data, url } = part as Record<string, unknown>;
  if (type === "text" && typeof text === "string") return render(text);
  const file =
    typeof data === "object" && data !== null && !(data instanceof Uint8Array) ? data : { data, url };
  const { data: bytes, url: uri, text: inline } = file as Record<string, unknown>;
  if (typeof inline === "string") return render(inline);
  const mimeType = typeof mediaType === "string" ? mediaType : undefined;
  if (uri !== undefined) return [{ type: "resource", uri: String(uri), ...defined({ mimeType }) }];
  const encoded = bytes instanceof Uint8Array ? base64(bytes) : bytes;
  if (typeof encoded === "string" && mimeType?.startsWith("image"))
    return [{ type: "image", data: encoded, mimeType }];
  return render(part);
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
