import type { ReadResourceResult } from "@modelcontextprotocol/server";
import type { ContentPart, ToolResult } from "@toolrig/core";
import { type ArtifactStore, defined } from "@toolrig/core/kit";
import { carriedIn } from "../wire/carried.ts";
import type { UriOf } from "../wire/to-mcp-content.ts";
import { bytesOf } from "./artifacts.ts";

/**
 * What a server behind gave for a resource, whole: a client that reads it has asked for just that, so what was too large for a result is
 * taken from where it is kept. Texts that were kept as one are one.
 */
export async function toCarriedContents(
  { content, details, artifact }: ToolResult,
  uri: string,
  uriOf: UriOf,
  artifacts: ArtifactStore | undefined,
): Promise<ReadResourceResult> {
  const whole = artifact && (await artifacts?.read(artifact, 0, Number.MAX_SAFE_INTEGER));
  const parts = whole === undefined || whole === "" ? content : withWhole(content, whole.text);
  const contents: ReadResourceResult["contents"] = [];
  for (const part of parts) {
    if (part.type === "text") contents.push({ uri, mimeType: "text/plain", text: part.text });
    else contents.push(await contentOf(part, uriOf, artifacts));
  }
  return { contents, ...defined({ _meta: carriedIn(details).meta }) };
}

/** Of text over the cap the result shows the ends, and its resources have none: the first of them gets all of it. */
function withWhole(content: readonly ContentPart[], text: string): ContentPart[] {
  const others = content.filter((part) => part.type !== "text");
  const isEmpty = (part: ContentPart) =>
    part.type === "resource" && part.data === undefined && part.artifact === undefined;
  const first = others.find(isEmpty);
  if (first === undefined) return [{ type: "text", text }, ...others];
  return others.flatMap((part) =>
    part === first ? { ...part, text } : isEmpty(part) ? [] : part,
  ) as ContentPart[];
}

async function contentOf(
  part: Exclude<ContentPart, { type: "text" }>,
  uriOf: UriOf,
  artifacts: ArtifactStore | undefined,
): Promise<ReadResourceResult["contents"][number]> {
  const { mimeType, resourceMeta: _meta, data } = part;
  const common = { uri: uriOf(part), ...defined({ mimeType, _meta }) };
  if (data !== undefined) return { ...common, blob: data };
  const { artifact, text = "" } = part as Extract<ContentPart, { type: "resource" }>;
  const blob = artifact === undefined ? undefined : artifacts && (await bytesOf(artifact, artifacts));
  return blob === undefined ? { ...common, text } : { ...common, blob };
}
