import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { type ContentPart, type DataLabels, type FailureInput, result } from "@toolrig/core";
import type { MarkedOutcome } from "@toolrig/core/kit";
import { defined } from "@toolrig/core/kit";
import { cleanLine, cleanText } from "../defence/clean-text.ts";
import { cleanValue, cutText } from "../defence/clean-value.ts";

/** So many parts of a result are passed on. */
const MAX_PARTS = 1_000;
/** Characters of the name, title and description of a link. */
const MAX_WORDS = 1_000;

/**
 * What the model reads of a server's content: at most `longest` characters of it, with nothing hidden. Bytes that are neither
 * picture nor sound are named, for no model reads them as text, and kept beside it.
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
  if ((part.type === "image" || part.type === "audio") && part.data.length > room)
    return { type: "text", text: `[left out: ${part.mimeType}, ${bytesOf(part.data)} bytes]` };
  if (part.type !== "resource") return part;
  const { text, data, name, title, description, ...rest } = part;
  const bytes = data === undefined || data.length > room ? {} : { data };
  const words = Object.entries(defined({ name, title, description }));
  return {
    ...rest,
    ...bytes,
    ...Object.fromEntries(words.map(([key, words]) => [key, cleanLine(String(words), MAX_WORDS)])),
    uri: cleanLine(part.uri, 2_000),
    ...(text !== undefined && { text: cleanText(cutText(text, room)).text }),
  };
}

/** The characters of a part: all its members are text. */
function sizeOf(part: ContentPart): number {
  return Object.values(part).reduce((sum: number, each) => sum + String(each).length, 0);
}

function partOf(block: ContentBlock): ContentPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return mediaOf(block.type, block.data, typeOf(block.mimeType));
    case "resource_link":
      return linkOf(block);
    case "resource":
      return resourceOf(block.resource);
    default:
      return { type: "text", text: "[content of a kind that is not known here]" };
  }
}

type Link = Extract<ContentBlock, { type: "resource_link" }>;

function linkOf(link: Link): ContentPart {
  const { uri, name, title, description, size } = link;
  return { type: "resource", uri, ...withType(link), name, ...defined({ title, description, size }) };
}

type Resource = Extract<ContentBlock, { type: "resource" }>["resource"];

function resourceOf(resource: Resource): ContentPart {
  const { uri } = resource;
  if ("text" in resource) return { type: "resource", uri, ...withType(resource), text: resource.text };
  const mimeType = typeOf(resource.mimeType);
  for (const kind of ["image", "audio"] as const)
    if (mimeType.startsWith(`${kind}/`)) return mediaOf(kind, resource.blob, mimeType);
  const text = `[${mimeType}, ${bytesOf(resource.blob)} bytes]`;
  return { type: "resource", uri, mimeType, text, data: resource.blob };
}

/** No model takes a picture whose type is none of pictures, and some refuse all they are sent with it. */
function mediaOf(type: "image" | "audio", data: string, mimeType: string): ContentPart {
  if (mimeType.startsWith(`${type}/`)) return { type, data, mimeType };
  return { type: "text", text: `[${type}, said to be ${mimeType}, ${bytesOf(data)} bytes]` };
}

/** A type and a few parameters; it has no room for sentences. */
const TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(?:; ?[\w-]{1,40}=[\w.+-]{1,60}){0,3}$/;

function typeOf(given = ""): string {
  const type = cleanLine(given.slice(0, 500), 500);
  return TYPE.test(type) ? type : "application/octet-stream";
}

const withType = ({ mimeType }: { mimeType?: string | undefined }) =>
  mimeType === undefined ? {} : { mimeType: typeOf(mimeType) };
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
  return result({ ...shown, labels, ...defined({ value }) });
}

function onlyText(parts: readonly ContentPart[]): string | undefined {
  const [first] = parts;
  return parts.length === 1 && first?.type === "text" ? first.text : undefined;
}

function failureOf(parts: readonly ContentPart[]): FailureInput {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return { kind: "fatal", message: text === "" ? "The server's tool reported an error." : text };
}
