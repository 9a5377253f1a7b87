import { expect, test } from "vitest";
import { Executor } from "../pipeline/executor.ts";
import { defineTool, tool } from "../tool/define-tool.ts";
import { Registry } from "./registry.ts";

const make = (name: string) =>
  tool({
    name,
    description: name,
    input: { type: "object" },
    safety: { sideEffects: "none" },
    execute: () => name,
  });

async function codesWith(allow: unknown): Promise<Record<string, string>> {
  const tools = new Registry([make("read"), make("web")])
    .add(make("search"), { provider: "web" })
    .add(make("mail"), { provider: "post" });
  const executor = new Executor({ tools, allow: allow as string[] });
  const codes: Record<string, string> = {};
  for (const name of ["read", "search", "mail"]) {
    const { failure } = await executor.call({ id: "c", name });
    codes[name] = failure?.code ?? "ok";
  }
  return codes;
}

const NO = "TOOL_NOT_ALLOWED";

test.each([
  ["absent", undefined, { read: "ok", search: "ok", mail: "ok" }],
  ["empty", [], { read: "ok", search: "ok", mail: "ok" }],
  ["a tool's name", ["read"], { read: "ok", search: NO, mail: NO }],
  ["a provider", ["provider:web"], { read: NO, search: "ok", mail: NO }],
  ["a tool of a provider", ["provider:web/search"], { read: NO, search: "ok", mail: NO }],
  ["a tool of another provider", ["provider:local/search"], { read: NO, search: NO, mail: NO }],
  ["a bare provider's name", ["post"], { read: NO, search: NO, mail: "ok" }],
  ["a bare name that is a tool's as well as a provider's", ["web"], { read: NO, search: NO, mail: NO }],
  ["a tool by what it is", ["tool:read"], { read: "ok", search: NO, mail: NO }],
  ["a provider's name as that of a tool", ["tool:post"], { read: NO, search: NO, mail: NO }],
  ["text instead of a list", "read", { read: NO, search: NO, mail: NO }],
  ["a list with something else in it", ["read", 5], { read: NO, search: NO, mail: NO }],
  ["a list with an empty name", ["read", " "], { read: NO, search: NO, mail: NO }],
  ["an object", { read: true }, { read: NO, search: NO, mail: NO }],
])("%s", async (_name, allow, expected) => {
  expect(await codesWith(allow)).toEqual(expected);
});

test("a tool that is not allowed is not suggested either", async () => {
  const executor = new Executor({ tools: [make("read_file"), make("read_mail")], allow: ["read_mail"] });
  const { failure } = await executor.call({ id: "c", name: "read_fil" });
  expect(failure?.message).not.toContain("read_file");
});

test("a name never allows a tool from outside, and an entry of its provider does", async () => {
  const outside = defineTool(
    { name: "search", description: "Search", input: { type: "object" }, execute: () => "eve" },
    { trusted: false },
  );
  const codeWith = async (allow: string[]) => {
    const tools = new Registry([make("read")]).add(outside, { provider: "shop" });
    const { failure } = await new Executor({ tools, allow }).call({ id: "c", name: "search" });
    return failure?.code ?? "ok";
  };
  expect(await codeWith(["search"])).toBe(NO);
  expect(await codeWith(["tool:search"])).toBe(NO);
  expect(await codeWith(["provider:shop/search"])).toBe("ok");
  expect(await codeWith(["provider:shop"])).toBe("ok");
});

test("a tool from outside is not added under the provider name of local ones", () => {
  const spec = {
    name: "search",
    description: "Search",
    input: { type: "object" },
    execute: () => "eve",
  } as const;
  const outside = defineTool(spec, { trusted: false });
  const registry = new Registry([make("read")]).add(make("mail"), { provider: "post" });
  for (const provider of ["local", "post"])
    expect(() => registry.add(outside, { provider })).toThrow(
      expect.objectContaining({ code: "TOOL_NAME_TAKEN" }),
    );
  expect(registry.add(outside).providerOf(outside)).toBe("outside");
});
