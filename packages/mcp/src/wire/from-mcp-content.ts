import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import {
  type AudioPart,
  type ContentPart,
  type DataLabels,
  type FailureInput,
  type ImagePart,
  result,
} from "@toolrig/core";
import type { MarkedOutcome } from "@toolrig/core/kit";
import { defined } from "@toolrig/core/kit";
import { cleanIcons, cleanMeta, cleanNotes } from "../defence/clean-notes.ts";
import { cleanLine, cleanText } from "../defence/clean-text.ts";
import { cleanValue, cutText } from "../defence/clean-value.ts";
import { carrying } from "./carried.ts";

/** So many parts of a result are passed on. */
const MAX_PARTS = 1_000;
/** Characters of the name, title and description of a link. */
const MAX_WORDS = 1_000;

/**
 * What the model reads of a server's content: at most `longest` characters of it, with nothing hidden. Bytes that are neither
 * picture nor sound are named, for no model reads them as text, and kept beside it.
 */
export function contentOf(
  blocks: readonly ContentBlock[],
  longest: number,
  connection: string,
): ContentPart[] {
  const parts: ContentPart[] = [];
  let room = longest;
  for (const block of blocks.slice(0, MAX_PARTS)) {
    const part = from(connection, cleaned(partOf(block), room));
    room -= sizeOf(part);
    parts.push(part);
    if (room <= 0) break;
  }
  const missing = blocks.length - parts.length;
  return missing === 0 ? parts : [...parts, { type: "text", text: `[${missing} more parts were left out]` }];
}

/** What is on the web is the same for everybody; any other URI means something to its server alone. */
function from(source: string, part: ContentPart): ContentPart {
  if (part.type === "text" || part.uri === undefined || /^https?:/i.test(part.uri)) return part;
  return { ...part, source };
}

function cleaned(part: ContentPart, room: number): ContentPart {
  if (part.type === "text") return { ...part, text: cleanText(cutText(part.text, room)).text };
  if (part.type === "image" || part.type === "audio") return part.data.length > room ? beside(part) : part;
  const { text, name, title, description, ...rest } = part;
  const words = Object.entries(defined({ name, title, description }));
  return {
    ...rest,
    ...Object.fromEntries(words.map(([key, words]) => [key, cleanLine(String(words), MAX_WORDS)])),
    uri: cleanLine(part.uri, 2_000),
    ...(text !== undefined && { text: cleanText(cutText(text, room)).text }),
  };
}

/** The characters of a part. Bytes of a resource are limited by the size of a message alone: nobody is shown them. */
function sizeOf(part: ContentPart): number {
  const counted = part.type === "resource" ? { ...part, data: undefined } : part;
  const sizes = Object.values(defined(counted)).map((each) =>
    typeof each === "object" ? JSON.stringify(each).length : String(each).length,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function partOf(block: ContentBlock): ContentPart {
  return { ...bareOf(block), ...cleanNotes(block) };
}

function bareOf(block: ContentBlock): ContentPart {
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
  const icons = cleanIcons(link.icons);
  return { type: "resource", uri, ...withType(link), name, ...defined({ title, description, size, icons }) };
}

/** A picture or sound that is too large to be shown: its bytes are kept beside what is shown. */
function beside({
  type,
  data,
  mimeType,
  uri = `toolrig:${type}`,
  ...notes
}: ImagePart | AudioPart): ContentPart {
  const text = `[not shown: ${mimeType}, ${bytesOf(data)} bytes]`;
  return { ...notes, type: "resource", uri, name: type, mimeType, text, data };
}

type Resource = Extract<ContentBlock, { type: "resource" }>["resource"];

function resourceOf(resource: Resource): ContentPart {
  const { uri } = resource;
  const own = defined({ resourceMeta: cleanMeta(resource._meta) });
  if ("text" in resource)
    return { type: "resource", uri, ...withType(resource), text: resource.text, ...own };
  const mimeType = typeOf(resource.mimeType);
  const kind = (["image", "audio"] as const).find((each) => mimeType.startsWith(`${each}/`));
  if (kind !== undefined)
    return { type: kind, data: resource.blob, mimeType, uri: cleanLine(uri, 2_000), ...own };
  const text = `[${mimeType}, ${bytesOf(resource.blob)} bytes]`;
  return { type: "resource", uri, mimeType, text, data: resource.blob, ...own };
}

/** No model takes a picture whose type is none of pictures, and some refuse all they are sent with it. */
function mediaOf(type: "image" | "audio", data: string, mimeType: string): ContentPart {
  if (mimeType.startsWith(`${type}/`)) return { type, data, mimeType };
  return { type: "text", text: `[${type}, said to be ${mimeType}, ${bytesOf(data)} bytes]` };
}

/** A type and a few parameters; it has no room for sentences. */
const TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(?:; ?[\w-]{1,40}=[\w.+-]{1,60}){0,3}$/;

function typeOf(given: unknown): string {
  const type = typeof given === "string" ? cleanLine(given.slice(0, 500), 500) : "";
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
  { content = [], structuredContent, isError, _meta }: CallToolResult,
  hasOutput: boolean,
  longest: number,
): MarkedOutcome {
  const labels = labelsOf(connection);
  const parts = contentOf(content, longest, connection);
  const structured = structuredContent === undefined ? undefined : cleanValue(structuredContent);
  const details = carrying(
    defined({ meta: cleanMeta(_meta), ...(structured !== undefined && { structured: true }) }),
  );
  if (isError === true)
    return result({
      failure: failureOf(parts),
      details: { content: parts, ...details },
      labels,
      ...defined({ value: structured }),
    });
  if (hasOutput && structuredContent === undefined) {
    const message = "The server's tool has an output schema, and its answer has no structured content.";
    return result({ failure: { code: "TOOL_OUTPUT_INVALID", message }, labels });
  }
  const value = structured ?? onlyText(parts);
  const shown = parts.length > 0 ? { content: parts } : {};
  return result({ ...shown, labels, ...defined({ value, details }) });
}

function onlyText(parts: readonly ContentPart[]): string | undefined {
  const [first] = parts;
  return parts.length === 1 && first?.type === "text" ? first.text : undefined;
}

function failureOf(parts: readonly ContentPart[]): FailureInput {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return { kind: "fatal", message: text === "" ? "The server's tool reported an error." : text };
}
