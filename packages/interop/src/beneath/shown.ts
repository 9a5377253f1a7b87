import { type ContentPart, type ToolResult, textOf } from "@toolrig/core";

/** A result as peers show it to their models. */
export interface Shown {
  isError: boolean;
  /** All text of it, also that of resources. What has neither is named, so that nothing is dropped in silence. */
  text: string;
  /** Images as base64, for peers and vendors that take them in a tool's result. */
  images: readonly { data: string; mimeType: string }[];
  /** What the tool returned, where it is an object or a list and the model is shown all of it. */
  structured: unknown;
}

export function shown(result: ToolResult): Shown {
  const { content, isError, value, artifact, advice } = result;
  const images = content.flatMap((part) => (part.type === "image" ? [part] : []));
  const isWhole = !isError && artifact === undefined && advice === undefined;
  return {
    isError,
    text: content.flatMap((part) => (part.type === "image" ? [] : [textOfPart(part)])).join("\n"),
    images: images.map(({ data, mimeType }) => ({ data, mimeType })),
    structured: isWhole && typeof value === "object" && value !== null ? value : undefined,
  };
}

function textOfPart(part: ContentPart): string {
  if (part.type === "text") return part.text;
  if (part.type === "resource") return part.text ?? `[resource: ${part.uri}]`;
  return `[${part.type}: ${part.mimeType}, ${Math.floor((part.data.length * 3) / 4)} bytes]`;
}

/** A failed call, for peers whose tools fail by throwing: the message is what the model is told. */
export class ToolCallError extends Error {
  override readonly name = "ToolCallError";
  readonly result: ToolResult;

  constructor(result: ToolResult) {
    super(textOf(result.content));
    this.result = result;
  }

  /** Peers that show models an error as text add no name to what says what it is. */
  override toString(): string {
    return this.message;
  }
}
