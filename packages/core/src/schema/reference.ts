import { isRecord } from "../is-record.ts";
import type { JsonSchema } from "./json-schema.ts";
import { indexNames, type Names } from "./names.ts";
import { invalid } from "./reading.ts";
import { absolute, type Found, type Resource, resourceIn, rootOf } from "./resource.ts";

export const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"] as const;
export type ReferenceKeyword = (typeof REFERENCES)[number];

export interface References {
  root: Resource;
  /** The resource that holds what is inside `raw`. */
  enter(raw: Record<string, unknown>, outer: Resource): Resource;
  /**
   * What a reference points to. Throws `SCHEMA_INVALID` when that is not inside the document, since nothing is fetched, and
   * when it depends on how the reference was reached.
   */
  resolve(keyword: ReferenceKeyword, ref: unknown, from: Resource, at: string): Found;
}

export function indexReferences(document: JsonSchema): References {
  const root = rootOf(document);
  let indexed: Names | undefined;
  const names = () => {
    indexed ??= indexNames(root);
    return indexed;
  };
  return {
    root,
    enter: (raw, outer) => (raw === outer.schema ? outer : resourceIn(raw, outer)),
    resolve(keyword, ref, from, at) {
      if (typeof ref !== "string") throw invalid(at, "must be a string");
      const [uri = "", fragment = ""] = ref.split("#", 2);
      const resource = uri === "" ? from : names().resources.get(absolute(uri, from.uri));
      const found = resource && locate(resource, fragment, names);
      if (found === undefined) throw missing(at, ref);
      if (isDynamic(keyword, found, fragment, names)) throw dynamic(at, keyword, ref);
      return found;
    },
  };
}

function locate(resource: Resource, fragment: string, names: () => Names): Found | undefined {
  if (fragment === "") return { schema: resource.schema, at: resource.at, resource };
  return fragment.startsWith("/")
    ? follow(resource, fragment)
    : names().anchors.get(`${resource.uri}#${fragment}`);
}

/**
 * A dynamic reference to a name that several resources have means the outermost of them on the way to it. Where only one
 * has it, it is a reference like any other.
 */
function isDynamic(keyword: ReferenceKeyword, found: Found, fragment: string, names: () => Names): boolean {
  if (keyword === "$ref" || !isRecord(found.schema)) return false;
  if (keyword === "$recursiveRef")
    return found.schema.$recursiveAnchor === true && names().recursive.size > 1;
  return found.schema.$dynamicAnchor === fragment && (names().dynamic.get(fragment)?.size ?? 0) > 1;
}

function missing(at: string, ref: string) {
  return invalid(
    at,
    `refers to "${ref.slice(0, 100)}", which is not in the schema (references are never fetched; ` +
      "include what it points to under $defs)",
  );
}

function dynamic(at: string, keyword: string, ref: string) {
  return invalid(
    at,
    `refers by ${keyword} to "${ref.slice(0, 100)}", which several parts of the schema define, so that it depends on how it ` +
      "is reached. Use $ref",
  );
}

function follow(from: Resource, pointer: string): Found | undefined {
  let schema: unknown = from.schema;
  let resource = from;
  for (const token of pointer.slice(1).split("/")) {
    const key = unescapeToken(token);
    if (typeof schema !== "object" || schema === null || !Object.hasOwn(schema, key)) return undefined;
    if (schema !== from.schema && isRecord(schema)) resource = resourceIn(schema, resource);
    schema = (schema as Record<string, unknown>)[key];
  }
  return { schema, at: `${from.at}${pointer}`, resource };
}

function unescapeToken(token: string): string {
  let text = token;
  try {
    text = decodeURIComponent(token);
  } catch {}
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
