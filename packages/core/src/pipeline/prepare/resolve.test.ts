import { expect, test } from "vitest";
import { Registry } from "../../source/registry.ts";
import { tool } from "../../tool/define-tool.ts";
import type { ToolSpec } from "../../tool/tool.ts";
import { vendorName } from "../../tool/vendor-name.ts";
import { Executor } from "../executor.ts";
import type { ExecutorOptions } from "../options.ts";

function named(name: string, spec: Partial<ToolSpec<unknown, unknown>> = {}) {
  return tool({
    name,
    description: name,
    input: { type: "object" },
    safety: { sideEffects: "none" },
    execute: () => spec.version ?? name,
    ...spec,
  } as ToolSpec<unknown, unknown>);
}

const call = (name: string, version?: string) => ({
  id: "c",
  name,
  ...(version !== undefined && { version }),
});

test("an unknown name is answered with the nearest and with what there is", async () => {
  const hidden = named("read_mail", { available: () => "no account" });
  const executor = new Executor({ tools: [named("read_file"), named("write_file"), hidden] });
  const { failure } = await executor.call(call("raed_file"));
  expect(failure).toMatchObject({
    kind: "not_found",
    code: "TOOL_NOT_FOUND",
    details: { nearest: ["read_file"], available: ["read_file", "write_file"] },
  });
  expect(failure?.message).toBe(
    'There is no tool called "raed_file". Did you mean read_file? Available: read_file, write_file.',
  );
});

test("of many tools only some are listed, and a huge name is not repeated in full", async () => {
  const executor = new Executor({
    tools: Array.from({ length: 30 }, (_, index) => named(`tool_${index + 10}`)),
  });
  const { failure } = await executor.call(call("z".repeat(10_000)));
  expect(failure?.message).toContain("and 10 more");
  expect(failure?.message.length).toBeLessThan(1_000);
});

test("a name that is one tool's own and told for another runs neither", async () => {
  const told = vendorName("bank.pay");
  const registry = new Registry([named("bank.pay")]);
  const executor = new Executor({ tools: registry });
  expect((await executor.call(call(told))).value).toBe("bank.pay");
  registry.add(named(told), { provider: "elsewhere" });
  const { failure } = await executor.call(call(told));
  expect(failure).toMatchObject({ kind: "not_found", code: "TOOL_NOT_FOUND" });
  expect(failure?.message).toContain("models are told of another under that name");
  expect((await executor.call(call("bank.pay"))).value).toBe("bank.pay");
  expect((await executor.call(call(vendorName(told)))).value).toBe(told);
  registry.remove("bank.pay");
  expect((await executor.call(call(told))).value).toBe(told);
});

test("no tools at all is said, too", async () => {
  expect((await new Executor({ tools: [] }).call(call("read"))).failure?.message).toContain(
    "No tools are available.",
  );
});

test("a version range chooses among versions, and says which there are when it fits none", async () => {
  const executor = new Executor({
    tools: [named("search", { version: "1.4.0" }), named("search", { version: "2.0.0" })],
  });
  expect((await executor.call(call("search"))).value).toBe("2.0.0");
  expect((await executor.call(call("search", "^1.2"))).value).toBe("1.4.0");
  expect((await executor.call(call("search", "^3"))).failure?.message).toBe(
    'search has no version in "^3". There is: 2.0.0, 1.4.0.',
  );
  expect((await executor.call(call("search", "newest"))).failure?.kind).toBe("validation");
});

test("a tool added to a source is callable at once, and one removed is not", async () => {
  const registry = new Registry();
  const executor = new Executor({ tools: registry });
  registry.add(named("late"));
  expect((await executor.call(call("late"))).isError).toBe(false);
  registry.remove("late");
  expect((await executor.call(call("late"))).failure?.code).toBe("TOOL_NOT_FOUND");
});

test.each<[ExecutorOptions["onUnavailable"], string]>([
  [undefined, "TOOL_UNAVAILABLE"],
  ["report", "TOOL_UNAVAILABLE"],
  ["try", "ran"],
])("a tool that says it is unavailable, with onUnavailable %s: %s", async (onUnavailable, expected) => {
  const executor = new Executor({
    tools: [named("closed", { available: () => "no key" })],
    ...(onUnavailable && { onUnavailable }),
  });
  const { failure } = await executor.call(call("closed"));
  expect(failure?.code ?? "ran").toBe(expected);
  if (failure !== undefined)
    expect(failure).toMatchObject({ message: "closed is unavailable: no key", retryable: true });
});

test("availability is asked once more just before the tool runs", async () => {
  const answers = [true, "gone since"];
  const executor = new Executor({ tools: [named("closing", { available: () => answers.shift()! })] });
  expect(await executor.call(call("closing"))).toMatchObject({
    attempts: 0,
    failure: { message: "closing is unavailable: gone since" },
  });
});

test("a call that is narrowed uses nothing else, nor does what its tool calls, and is told of nothing else", async () => {
  const relay = tool({
    name: "relay",
    description: "Call another",
    input: { type: "object", properties: { of: { type: "string" } } } as const,
    execute: async ({ of = "" }, context) => (await context.call(of, {})).failure?.message ?? `${of} ran`,
  });
  const executor = new Executor({ tools: [relay, named("open"), named("secret")] });
  const through = async (of: string, allow?: string[]) =>
    (await executor.call({ id: "c", name: "relay", arguments: { of } }, allow && { allow })).value;
  const allow = ["relay", "open"];
  expect(await through("open", allow)).toBe("open ran");
  for (const name of ["secret", "secre"])
    expect(await through(name, allow)).toBe(`There is no tool called "${name}". Available: open, relay.`);
  expect(await through("secret")).toBe("secret ran");
  expect((await executor.call(call("secret"), { allow })).failure?.code).toBe("TOOL_NOT_FOUND");
  const closed = new Executor({ tools: [named("open"), named("secret")], allow: ["open"] });
  expect((await closed.call(call("secret"), { allow: ["secret"] })).failure?.code).toBe("TOOL_NOT_ALLOWED");
  expect(() => executor.call(call("open"), { allow: "open" as never })).toThrow(/allow/);
});
