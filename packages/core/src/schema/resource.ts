import type { JsonSchema } from "./json-schema.ts";

/** The part of a document that `#...` references inside it are relative to: the root or a subschema with `$id`. */
export interface Resource {
  schema: Record<string, unknown>;
  at: string;
  /** Its address, absolute within the document. */
  uri: string;
}

export interface Found {
  schema: unknown;
  at: string;
  resource: Resource;
}

export function rootOf(document: JsonSchema): Resource {
  const nowhere = "schema:/";
  return { schema: document, at: "#", uri: absolute(idOf(document) ?? "", nowhere) };
}

/** The resource that a subschema is, or the one that it belongs to. */
export function resourceIn(raw: Record<string, unknown>, outer: Resource): Resource {
  const id = idOf(raw);
  return id === undefined ? outer : { schema: raw, at: "#", uri: absolute(id, outer.uri) };
}

function idOf(raw: JsonSchema): string | undefined {
  const id = raw.$id;
  return typeof id === "string" && !id.startsWith("#") ? id : undefined;
}

export function absolute(uri: string, base: string): string {
  try {
    const url = new URL(uri, base);
    url.hash = "";
    return url.href;
  } catch {
    return uri.replace(/#$/, "");
  }
}
