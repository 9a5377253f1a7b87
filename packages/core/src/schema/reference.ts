import { isPlainObject, type JsonSchema } from "./json-schema.ts";
import { invalid } from "./reading.ts";

/** The part of a document that `#...` references inside it are relative to: the root or a subschema with `$id`. */
export interface Resource {
  schema: Record<string, unknown>;
  at: string;
}

interface Found {
  schema: unknown;
  at: string;
  resource: Resource;
}

export interface References {
  root: Resource;
  /** The resource that holds what is inside `raw`. */
  enter(raw: Record<string, unknown>, outer: Resource): Resource;
  /** What a reference points to. Throws `SCHEMA_INVALID` when that is not inside the document: nothing is fetched. */
  resolve(ref: unknown, from: Resource, at: string): Found;
}

export function indexReferences(document: JsonSchema): References {
  const root: Resource = { schema: document, at: "#" };
  let named: Map<string, Resource> | undefined;

  function byName(name: string): Resource | undefined {
    named ??= collectNames(document);
    return named.get(name);
  }

  return {
    root,
    enter: (raw, outer) =>
      raw !== document && resourceName(raw) !== undefined ? { schema: raw, at: "#" } : outer,
    resolve(ref, from, at) {
      if (typeof ref !== "string") throw invalid(`${at}/$ref`, "must be a string");
      const hash = ref.indexOf("#");
      const uri = hash < 0 ? ref : ref.slice(0, hash);
      const fragment = hash < 0 ? "" : ref.slice(hash + 1);
      const resource = uri === "" ? from : byName(uri);
      if (resource !== undefined) {
        if (fragment === "") return { ...resource, resource };
        const found = fragment.startsWith("/") ? follow(resource, fragment) : byName(`#${fragment}`);
        if (found !== undefined) return { ...found, resource };
      }
      throw invalid(
        at,
        `refers to "${ref.slice(0, 100)}", which is not in the schema (references are never fetched; ` +
          "include what it points to under $defs)",
      );
    },
  };
}

function resourceName(raw: Record<string, unknown>): string | undefined {
  const id = raw.$id;
  return typeof id === "string" && !id.startsWith("#") ? id.replace(/#$/, "") : undefined;
}

/** Every `$id` and `$anchor` in the document. Walks all of it without recursion, once, and only when one is used. */
function collectNames(document: JsonSchema): Map<string, Resource> {
  const names = new Map<string, Resource>();
  const stack: Resource[] = [{ schema: document, at: "#" }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { schema, at } = next;
    const id = resourceName(schema);
    if (id !== undefined && !names.has(id)) names.set(id, next);
    for (const keyword of ["$anchor", "$dynamicAnchor", "$id"]) {
      const anchor = schema[keyword];
      if (typeof anchor !== "string") continue;
      const name = keyword === "$id" ? anchor : `#${anchor}`;
      if (name.startsWith("#") && !names.has(name)) names.set(name, next);
    }
    for (const [key, part] of Object.entries(schema)) {
      const inside = Array.isArray(part) ? part : [part];
      for (const each of inside) if (isPlainObject(each)) stack.push({ schema: each, at: `${at}/${key}` });
    }
  }
  return names;
}

function follow(from: Resource, pointer: string): { schema: unknown; at: string } | undefined {
  let schema: unknown = from.schema;
  for (const token of pointer.slice(1).split("/")) {
    const key = unescapeToken(token);
    if (typeof schema !== "object" || schema === null || !Object.hasOwn(schema, key)) return undefined;
    schema = (schema as Record<string, unknown>)[key];
  }
  return { schema, at: `${from.at}${pointer}` };
}

function unescapeToken(token: string): string {
  let text = token;
  try {
    text = decodeURIComponent(token);
  } catch {}
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
