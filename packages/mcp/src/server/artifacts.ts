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
