import { expect, test } from "vitest";
import { Executor, Registry, tool, withCapabilities } from "../index.ts";

const input = { type: "object" } as const;
const fetchPage = tool({
  name: "fetch_page",
  description: "Fetch",
  input,
  safety: { sideEffects: "read", requires: ["network"] },
  execute: () => "page",
});
const summarise = tool({
  name: "summarise",
  description: "Summarise",
  input,
  safety: { sideEffects: "read", requires: [] },
  execute: async (_args, context) => (await context.call("fetch_page", {})).failure?.code ?? "got it",
});

test("a tool whose capability is not granted is unavailable, with that reason", async () => {
  const executor = new Executor({ tools: [fetchPage], capabilities: ["filesystem"] });
  const { failure } = await executor.call({ id: "c", name: "fetch_page", arguments: {} });
  expect(failure).toMatchObject({
    code: "TOOL_UNAVAILABLE",
    message: /requires network, which is not granted/,
  });
});

test("granted, it runs", async () => {
  const executor = new Executor({ tools: [fetchPage], capabilities: ["network"] });
  expect((await executor.call({ id: "c", name: "fetch_page", arguments: {} })).isError).toBe(false);
});

test("a restricted source keeps names, providers and versions", () => {
  const registry = new Registry().add(fetchPage, { provider: "web" });
  const source = withCapabilities(registry, []);
  const [restricted] = source.tools();
  expect(restricted!.available()).toMatch(/network/);
  expect(source.providerOf!(restricted!)).toBe("web");
  expect(source.version).toBe(registry.version);
});

test("a nested call never has more than its caller", async () => {
  const executor = new Executor({ tools: [fetchPage, summarise] });
  const { value } = await executor.call({ id: "c", name: "summarise", arguments: {} });
  expect(value).toBe("TOOL_NOT_ALLOWED");
});

test("an executor that tries what is unavailable still does not lend a capability", async () => {
  const executor = new Executor({ tools: [fetchPage], capabilities: [], onUnavailable: "try" });
  const { failure, value } = await executor.call({ id: "c", name: "fetch_page", arguments: {} });
  expect([failure?.code, value]).toEqual(["TOOL_UNAVAILABLE", undefined]);
});

test("a capability is not passed through a tool that lacks it", async () => {
  const outer = tool({
    name: "outer",
    description: "Outer",
    input,
    safety: { sideEffects: "read", requires: ["network"] },
    execute: async (_args, context) => (await context.call("summarise", {})).value,
  });
  const executor = new Executor({ tools: [fetchPage, summarise, outer] });
  expect((await executor.call({ id: "c", name: "outer", arguments: {} })).value).toBe("TOOL_NOT_ALLOWED");
});
