import { isRecord } from "../is-record.ts";
import { type Found, type Resource, resourceIn } from "./resource.ts";

/** What the parts of a document are called. */
export interface Names {
  /** By address. */
  resources: ReadonlyMap<string, Resource>;
  /** By address and name. */
  anchors: ReadonlyMap<string, Found>;
  /** The addresses of the resources that have a `$dynamicAnchor` of a name. */
  dynamic: ReadonlyMap<string, ReadonlySet<string>>;
  /** The addresses of the resources that have `$recursiveAnchor`. */
  recursive: ReadonlySet<string>;
}

const SCHEMAS = new Set(
  (
    "items additionalItems prefixItems contains unevaluatedItems additionalProperties propertyNames unevaluatedProperties " +
    "not if then else allOf anyOf oneOf contentSchema"
  ).split(" "),
);
const MAPS = new Set(
  "properties patternProperties dependentSchemas dependencies $defs definitions".split(" "),
);

/**
 * Every `$id` and anchor in the document, of the schemas in it: what looks like one in a default or an enum is data. Walks
 * all of it without recursion, once, and only when one is used. The first of a name counts.
 */
export function indexNames(root: Resource): Names {
  const resources = new Map<string, Resource>([[root.uri, root]]);
  const anchors = new Map<string, Found>();
  const dynamic = new Map<string, Set<string>>();
  const recursive = new Set<string>();
  const stack: { schema: Record<string, unknown>; at: string; resource: Resource }[] = [
    { schema: root.schema, at: root.at, resource: root },
  ];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { schema, at } = next;
    const resource = schema === root.schema ? root : resourceIn(schema, next.resource);
    if (!resources.has(resource.uri)) resources.set(resource.uri, resource);
    for (const name of anchorsOf(schema)) {
      const address = `${resource.uri}#${name}`;
      if (!anchors.has(address)) anchors.set(address, { schema, at, resource });
    }
    const { $dynamicAnchor: name } = schema;
    if (typeof name === "string") dynamic.set(name, (dynamic.get(name) ?? new Set()).add(resource.uri));
    if (schema.$recursiveAnchor === true) recursive.add(resource.uri);
    for (const [key, part] of Object.entries(schema)) {
      if (!SCHEMAS.has(key) && !MAPS.has(key)) continue;
      const inside = Array.isArray(part)
        ? part
        : MAPS.has(key) && isRecord(part)
          ? Object.values(part)
          : [part];
      for (const each of inside) {
        if (isRecord(each)) stack.push({ schema: each, at: `${at}/${key}`, resource });
      }
    }
  }
  return { resources, anchors, dynamic, recursive };
}

/** Of draft-07, an `$id` that is a fragment. */
function anchorsOf({ $anchor, $dynamicAnchor, $id }: Record<string, unknown>): string[] {
  const names = [$anchor, $dynamicAnchor].filter((name) => typeof name === "string");
  if (typeof $id === "string" && $id.startsWith("#")) names.push($id.slice(1));
  return names;
}
