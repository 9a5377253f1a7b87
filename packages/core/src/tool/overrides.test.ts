import { expect, test } from "vitest";
import { z } from "zod";
import { Executor } from "../pipeline/executor.ts";
import { tool } from "./define-tool.ts";
import type { Preference, ToolSpec } from "./tool.ts";

const input = {
  type: "object",
  properties: { query: { type: "string" }, max_results: { type: "integer", description: "How many" } },
  required: ["query", "max_results"],
} as const;

function search(preference: Preference, rest: Partial<ToolSpec<typeof input, unknown>> = {}) {
  return tool({
    name: "search",
    description: "Search",
    input,
    safety: { sideEffects: "read" },
    preference,
    ...rest,
    execute: (args) => args,
  });
}

const overrides = { max_results: 10 };

test("a parameter that is left out has the value of the overrides, and one that is given its own", async () => {
  const executor = new Executor({ tools: [search({ overrides })] });
  const call = async (args: unknown) =>
    (await executor.call({ id: "c", name: "search", arguments: args })).value;
  expect(await call('{"query":"otters"}')).toEqual({ query: "otters", max_results: 10 });
  expect(await call({ query: "otters", max_results: 3 })).toEqual({ query: "otters", max_results: 3 });
});

test("the model is shown them as defaults, and need not give them", () => {
  const { definition } = search({ overrides });
  expect(definition.inputSchema).toEqual({
    type: "object",
    properties: {
      query: { type: "string" },
      max_results: { type: "integer", description: "How many", default: 10 },
    },
    required: ["query"],
  });
  expect(search({}).definition.inputSchema).toEqual(input);
});

test.each<[what: string, prepare: (raw: unknown) => unknown]>([
  ["at once", (raw) => ({ ...(raw as object), query: "prepared" })],
  ["later", async (raw) => ({ ...(raw as object), query: "prepared" })],
  ["nothing", () => undefined],
])("they come after the tool's own prepare, which answers %s", async (what, prepare) => {
  const executor = new Executor({ tools: [search({ overrides }, { prepare })] });
  const { value } = await executor.call({ id: "c", name: "search", arguments: { query: "otters" } });
  expect(value).toEqual({ query: what === "nothing" ? "otters" : "prepared", max_results: 10 });
});

test("they come before the defaults of a schema library", async () => {
  const find = tool({
    name: "find",
    description: "Find",
    input: z.object({ limit: z.number().default(50) }),
    preference: { overrides: { limit: 5 } },
    execute: ({ limit }) => limit,
  });
  const executor = new Executor({ tools: [find] });
  expect((await executor.call({ id: "c", name: "find" })).value).toBe(5);
});

test.each<[words: RegExp, overrides: Record<string, unknown>]>([
  [/overrides.max_result must be one of the tool's parameters \(query, max_results\)/, { max_result: 10 }],
  [/overrides.max_results must be valid for input/, { max_results: "many" }],
])("one that could not work is refused: %s", (words, wrong) => {
  expect(() => search({ overrides: wrong })).toThrow(words);
});
