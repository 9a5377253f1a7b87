import { expect, test } from "vitest";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { type Leaf, leavesOf } from "./leaves.ts";

const SCHEMA = { type: "object", properties: { to: {}, rows: {}, tree: {} } } as const;
const values = (args: unknown) => leavesOf(args, SCHEMA).map(({ value }) => value);
const last = (args: unknown): Leaf | undefined => leavesOf(args, SCHEMA).at(-1);

test("what stands behind ever so many others is looked at", () => {
  const rows = Array.from({ length: 200_000 }, () => 0);
  expect(last({ rows, to: "eve" })).toEqual({ path: "to", names: ["to"], value: "eve" });
});

test("what lies ever so deep is looked at, and known by the parameter it lies in", () => {
  const args = JSON.parse(`{"to":${'{"tree":'.repeat(5_000)}"eve"${"}".repeat(5_000)}}`);
  expect(last(args)).toMatchObject({ value: "eve" });
  expect(last(args)?.names.slice(0, 3)).toEqual(["to", "tree", "tree"]);
});

test("keys that the schema does not name are data, in the order of the arguments", () => {
  expect(values({ to: { "eve@z.org": 1 }, rows: ["a", { tree: "b" }] })).toEqual(["eve@z.org", 1, "a", "b"]);
});

test("maps, sets, dates and objects of classes are what they stand for", () => {
  class Address {
    to = "eve";
  }
  const at = new Date(0);
  const map = new Map([["to", new Set(["bob", new Address()])]]);
  expect(values({ rows: [map, at, 5n, {}, () => 1] })).toEqual([
    "bob",
    "eve",
    at.toJSON(),
    "5",
    undefined,
    undefined,
  ]);
});

test("what has no end could be anything", () => {
  const tree: Record<string, unknown> = { to: "bob" };
  tree.tree = tree;
  expect(last({ tree })).toEqual({ path: "the rest", names: [], value: undefined, unread: true });
});

const keys = (args: unknown, schema: JsonSchema) => leavesOf(args, schema).map(({ value }) => value);

test.each<JsonSchema>([
  { type: "object" },
  { type: "object", additionalProperties: true },
  { type: "object", properties: {}, additionalProperties: {} },
])("where the schema is %j, keys that read like names are names, all others are data", (schema) => {
  expect(keys({ path: 1, "max-size": 2, _id3: 3 }, schema)).toEqual([1, 2, 3]);
  for (const key of ["eve@z.org", "/etc/passwd", ".env", "4915112345", "wire it all", "\u0435ve", "", "e.v"])
    expect(keys({ [key]: "x" }, schema)).toEqual([key, "x"]);
  expect(keys({ to: { eve: 1 } }, schema)).toEqual(["eve", 1]);
  expect(leavesOf({ "eve@z.org": "x" }, schema)[0]).toMatchObject({ path: "a key", names: ["eve@z.org"] });
});

test.each<JsonSchema>([
  { type: "object", additionalProperties: { type: "string" } },
  { type: "object", patternProperties: { "^e": { type: "string" } } },
  { anyOf: [{ unevaluatedProperties: { type: "string" } }] },
])("where the schema is the map %j, every key is data", (schema) => {
  expect(keys({ eve: "x" }, schema)).toEqual(["eve", "x"]);
  expect(leavesOf({ eve: "x" }, schema, ["eve"])).toEqual([{ path: "eve", names: ["eve"], value: "x" }]);
});
