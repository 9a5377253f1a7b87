import { isRecord } from "@toolrig/core/kit";
import { withNull } from "./nullable.ts";
import type { Back, Projected } from "./projected.ts";
import type { Projector } from "./projector.ts";

/** An object whose properties have names, or one that holds entries under any. */
export function projectObject(projector: Projector, given: Record<string, unknown>, path: string): Projected {
  const named = isRecord(given.properties) ? Object.entries(given.properties) : [];
  const others = given.additionalProperties;
  if (named.length === 0 && others !== false && !projector.dialect.open)
    return entries(projector, others, path);
  if (others !== undefined && others !== false)
    projector.lose(`${path}/additionalProperties`, "properties without a name", "they cannot be given");
  return properties(projector, given, named, path);
}

interface Property {
  key: string;
  name: string;
  back: Back | undefined;
  /** What is optional is null where it would be absent. */
  absent: boolean;
}

function properties(
  projector: Projector,
  given: Record<string, unknown>,
  named: readonly [string, unknown][],
  path: string,
): Projected {
  const { closed, keys } = projector.dialect;
  const required = new Set(Array.isArray(given.required) ? given.required : []);
  const told: Record<string, unknown> = {};
  const known = new Map<string, Property>();
  for (const [name, part] of named) {
    const key = keyFor(
      name,
      keys,
      (other) => known.has(other) || (other !== name && hasOwn(given.properties, other)),
    );
    const { schema, back } = projector.of(part, `${path}/properties/${pointer(name)}`);
    const isOptional = closed && !required.has(name);
    const takesNull = isOptional && projector.takesNull(part);
    if (takesNull)
      projector.lose(`${path}/properties/${pointer(name)}`, "absence", "null, which is a value of its own");
    Object.defineProperty(told, key, {
      value: isOptional && !takesNull ? withNull(schema) : schema,
      enumerable: true,
    });
    known.set(key, { key, name, back, absent: isOptional && !takesNull });
  }
  const asked = [...known.values()].filter(({ name }) => closed || required.has(name)).map(({ key }) => key);
  const isSame = [...known.values()].every(({ key, name, back, absent }) => key === name && !absent && !back);
  return {
    schema: {
      type: "object",
      properties: told,
      ...((closed || asked.length > 0) && { required: asked }),
      ...(closed && { additionalProperties: false }),
    },
    back: isSame ? undefined : (value) => propertiesBack(known, value),
  };
}

function propertiesBack(known: ReadonlyMap<string, Property>, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => {
      const property = known.get(key);
      if (property === undefined) return [[key, part]];
      const { name, back, absent } = property;
      if (absent && part === null) return [];
      return [[name, back === undefined ? part : back(part)]];
    }),
  );
}

/** A name that a vendor takes for a property, and that no other property has. */
export function keyFor(name: string, keys: RegExp | undefined, isTaken: (key: string) => boolean): string {
  if (keys === undefined || keys.test(name)) return name;
  const simple =
    name
      .replaceAll(/[^A-Za-z0-9_]/g, "_")
      .replace(/^(?=[0-9])/, "_")
      .slice(0, 56) || "_";
  let key = simple;
  for (let index = 2; isTaken(key); index++) key = `${simple}_${index}`;
  return key;
}

/** Of two entries under one key the last counts, as it does in JSON. */
function entries(projector: Projector, others: unknown, path: string): Projected {
  const { schema: value, back } = projector.of(others ?? true, `${path}/additionalProperties`);
  projector.lose(
    `${path}/additionalProperties`,
    "properties without a name",
    "a list of entries with key and value",
  );
  const entry = {
    type: "object",
    properties: { key: { type: "string" }, value },
    required: ["key", "value"],
    ...(projector.dialect.closed && { additionalProperties: false }),
  };
  return { schema: { type: "array", items: entry }, back: (given) => entriesBack(given, back) };
}

function entriesBack(given: unknown, back: Back | undefined): unknown {
  if (!Array.isArray(given)) return given;
  if (!given.every((each) => isRecord(each) && typeof each.key === "string")) return given;
  return Object.fromEntries(
    given.map(({ key, value }: Record<string, unknown>) => [key, back === undefined ? value : back(value)]),
  );
}

function hasOwn(object: unknown, key: string): boolean {
  return isRecord(object) && Object.hasOwn(object, key);
}

function pointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
