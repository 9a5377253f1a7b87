import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { type ContentPart, type DataLabels, type FailureInput, result } from "@toolrig/core";
import type { MarkedOutcome } from "@toolrig/core/kit";
import { cleanLine, cleanText } from "../defence/clean-text.ts";
import { cleanValue, cutText } from "../defence/clean-value.ts";

/** So many parts of a result are passed on. */
const MAX_PARTS = 1_000;
/** Characters of the name of a type. */
const MAX_TYPE = 200;

/**
 * What the model reads of a server's content: at most `longest` characters of it, with nothing hidden. Bytes that are neither
 * picture nor sound are named: no model reads them as text.
 */
function contentOf(blocks: readonly ContentBlock[], longest: number): ContentPart[] {
  const parts: ContentPart[] = [];
  let room = longest;
  for (const block of blocks.slice(0, MAX_PARTS)) {
    const part = cleaned(partOf(block), room);
    room -= sizeOf(part);
    parts.push(part);
    if (room <= 0) break;
  }
  const missing = blocks.length - parts.length;
  return missing === 0 ? parts : [...parts, { type: "text", text: `[${missing} more parts were left out]` }];
}

function cleaned(part: ContentPart, room: number): ContentPart {
  if (part.type === "text") return { ...part, text: cleanText(cutText(part.text, room)).text };
  if (part.type !== "resource") return part;
  const { text, ...rest } = part;
  const uri = cleanLine(part.uri, 2_000);
  return { ...rest, uri, ...(text !== undefined && { text: cleanText(cutText(text, room)).text }) };
}

function sizeOf(part: ContentPart): number {
  return part.type === "text" ? part.text.length : part.type === "resource" ? (part.text?.length ?? 0) : 0;
}

function partOf(block: ContentBlock): ContentPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return { type: block.type, data: block.data, mimeType: cleanLine(block.mimeType, MAX_TYPE) };
    case "resource_link":
      return { type: "resource", uri: block.uri, ...typeOf(block) };
    case "resource":
      return resourceOf(block.resource);
    default:
      return { type: "text", text: "[content of a kind that is not known here]" };
  }
}

type Resource = Extract<ContentBlock, { type: "resource" }>["resource"];

function resourceOf(resource: Resource): ContentPart {
  const { uri } = resource;
  if ("text" in resource) return { type: "resource", uri, ...typeOf(resource), text: resource.text };
  const mimeType = cleanLine(resource.mimeType ?? "application/octet-stream", MAX_TYPE);
  const { blob } = resource;
  if (mimeType.startsWith("image/")) return { type: "image", data: blob, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data: blob, mimeType };
  return { type: "resource", uri, mimeType, text: `[${mimeType}, ${bytesOf(blob)} bytes]` };
}

const typeOf = ({ mimeType }: { mimeType?: string | undefined }) =>
  mimeType === undefined ? {} : { mimeType: cleanLine(mimeType, MAX_TYPE) };
const bytesOf = (base64: string) => Math.floor((base64.length * 3) / 4);

/** Whatever comes from a server is a stranger's. */
export const labelsOf = (connection: string) =>
  ({ integrity: "untrusted", source: `mcp:${connection}` }) as const satisfies DataLabels;

/** What a `tools/call` came to, for the pipeline. `hasOutput`: the tool says what shape its value has. */
export function outcomeOf(
  connection: string,
  { content = [], structuredContent, isError }: CallToolResult,
  hasOutput: boolean,
  longest: number,
): MarkedOutcome {
  const labels = labelsOf(connection);
  const parts = contentOf(content, longest);
  if (isError === true) return result({ failure: failureOf(parts), details: { content: parts }, labels });
  if (hasOutput && structuredContent === undefined) {
    const message = "The server's tool has an output schema, and its answer has no structured content.";
    return result({ failure: { code: "TOOL_OUTPUT_INVALID", message }, labels });
  }
  const value = structuredContent === undefined ? onlyText(parts) : cleanValue(structuredContent);
  const shown = parts.length > 0 ? { content: parts } : {};
  return result({ ...shown, labels, ...(value !== undefined && { value }) });
}

function onlyText(parts: readonly ContentPart[]): string | undefined {
  const [first] = parts;
  return parts.length === 1 && first?.type === "text" ? first.text : undefined;
}

function failureOf(parts: readonly ContentPart[]): FailureInput {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return { kind: "fatal", message: text === "" ? "The server's tool reported an error." : text };
}
