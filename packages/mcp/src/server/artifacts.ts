import type { ReadResourceResult, ResourceLink } from "@modelcontextprotocol/server";
import type { Principal } from "@toolrig/core";
import type { ArtifactStore } from "@toolrig/core/kit";
import type { Seal } from "./seal.ts";

/** Characters of an artifact that one reading gives. */
const PAGE = 200_000;
const SCHEME = "toolrig://artifact/";

/** How the rest of a result can be read: by whom it was made for, and nobody else. */
export function artifactLink(id: string, owner: string, seal: Seal): ResourceLink {
  return {
    type: "resource_link",
    uri: `${SCHEME}${id}/${seal.mark(`${owner} ${id}`)}`,
    name: id,
    description: "The whole output, of which this result shows head and tail.",
    mimeType: "text/plain",
  };
}

/** Where the bytes of an artifact can be read, by whom they were made for, and nobody else. */
export function bytesUri(id: string, mimeType: string | undefined, owner: string, seal: Seal): string {
  const type = mimeType ?? "application/octet-stream";
  return `${SCHEME}${id}/${seal.mark(`${owner} ${id} ${type}`)}?type=${encodeURIComponent(type)}`;
}

/** The bytes of an artifact, as base64; undefined when there are none of that id. */
export async function bytesOf(id: string, artifacts: ArtifactStore): Promise<string | undefined> {
  const pieces = await artifacts.bytes(id);
  if (pieces === undefined) return undefined;
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString("base64");
}

/** Whose artifacts they are: those of one principal in one view. */
export function ownerOf(view: string, principal: Principal): string {
  return JSON.stringify([view, principal.id]);
}

/** An artifact, from `?from=` on; undefined when the URI is not of one that this owner was given. */
export async function readArtifact(
  uri: string,
  owner: string,
  seal: Seal,
  artifacts: ArtifactStore,
): Promise<ReadResourceResult | undefined> {
  const asBytes = await readBytes(uri, owner, seal, artifacts);
  if (asBytes !== undefined) return asBytes;
  const named = /^toolrig:\/\/artifact\/([\w-]+)\/([\w-]+)(?:\?from=(\d{1,15}))?$/.exec(uri);
  if (named === null) return undefined;
  const [, id = "", mark = "", at = "0"] = named;
  if (!seal.isMark(mark, `${owner} ${id}`)) return undefined;
  const from = Number(at);
  const part = await artifacts.read(id, from, from + PAGE);
  if (part === undefined) return undefined;
  const end = from + part.text.length;
  const contents: ReadResourceResult["contents"] = [{ uri, mimeType: "text/plain", text: part.text }];
  if (end < part.length) {
    const next = `${SCHEME}${id}/${mark}?from=${end}`;
    const text = `[characters ${from} to ${end} of ${part.length}; the rest is ${next}]`;
    contents.push({ uri: next, mimeType: "text/plain", text });
  }
  return { contents };
}

async function readBytes(
  uri: string,
  owner: string,
  seal: Seal,
  artifacts: ArtifactStore,
): Promise<ReadResourceResult | undefined> {
  const [, id, mark = "", encoded] =
    /^toolrig:\/\/artifact\/([\w-]+)\/([\w-]+)\?type=([\w.%+-]{1,400})$/.exec(uri) ?? [];
  if (id === undefined || encoded === undefined) return undefined;
  let mimeType: string;
  try {
    mimeType = decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
  if (!seal.isMark(mark, `${owner} ${id} ${mimeType}`)) return undefined;
  const blob = await bytesOf(id, artifacts);
  return blob === undefined ? undefined : { contents: [{ uri, mimeType, blob }] };
}
