import { expect, test } from "vitest";
import {
  Executor,
  MemoryCallStore,
  Registry,
  recording,
  replaying,
  tool,
  withCapabilities,
} from "../index.ts";

const common = { description: "d", input: { type: "object" } } as const;
const net = tool({
  ...common,
  name: "fetch_it",
  safety: { sideEffects: "read", requires: ["network"] },
  execute: () => 1,
});
const own = tool({ ...common, name: "own", execute: () => 1 });
const other = tool({ ...common, name: "other", execute: () => 1 });

/** Two versions, of which the newer can be switched off. */
function versions(on: { new: boolean; old: boolean }) {
  const older = tool({
    ...common,
    name: "get",
    version: "1.0.0",
    available: () => on.old || "old is off",
    execute: () => "old",
  });
  const newer = tool({
    ...common,
    name: "get",
    version: "2.0.0",
    available: () => on.new || "new is off",
    execute: () => "new",
  });
  return new Registry([older, newer]);
}

test("an older version that is available is offered and called while the newest is not", async () => {
  const on = { new: false, old: true };
  const registry = versions(on);
  const executor = new Executor({ tools: registry });
  const call = async (version?: string) => {
    const { value, failure } = await executor.call({
      id: "c",
      name: "get",
      ...(version !== undefined && { version }),
    });
    return value ?? failure?.message;
  };
  const offered = () => registry.definitions().map(({ version }) => version);
  expect([offered(), await call()]).toEqual([["1.0.0"], "old"]);
  expect(await call("^2")).toBe("get is unavailable: new is off");
  on.new = true;
  expect([offered(), await call(), await call("1.x")]).toEqual([["2.0.0"], "new", "old"]);
  on.new = false;
  on.old = false;
  expect([offered(), await call()]).toEqual([[], "get is unavailable: new is off"]);
});

test("an older version that needs less is offered where the newest is not granted what it needs", () => {
  const requires = ["network"];
  const registry = new Registry([
    tool({ ...common, name: "get", version: "1.0.0", execute: () => 1 }),
    tool({
      ...common,
      name: "get",
      version: "2.0.0",
      safety: { sideEffects: "read", requires },
      execute: () => 1,
    }),
  ]);
  const { tools } = new Executor({ tools: withCapabilities(registry, []) });
  expect(new Executor({ tools }).definitions()).toMatchObject([{ version: "1.0.0" }]);
});

test("a tool that its preference disables is not offered, and can be called", async () => {
  const hidden = tool({ ...common, name: "hidden", preference: { enabled: false }, execute: () => "ran" });
  const registry = new Registry([hidden, own]);
  expect(registry.definitions().map(({ name }) => name)).toEqual(["own"]);
  expect(registry.allDefinitions()).toHaveLength(2);
  const executor = new Executor({ tools: registry });
  expect((await executor.call({ id: "c", name: "hidden" })).value).toBe("ran");
});

test("an executor tells what it would run, and so does whatever wraps it", () => {
  const registry = new Registry([net, own, other]);
  const executor = new Executor({ tools: registry, allow: ["own", "fetch_it"], capabilities: [] });
  const store = new MemoryCallStore();
  for (const each of [executor, recording(executor, store), replaying(executor, [])]) {
    expect(each.tools?.tools().map(({ name }) => name)).toEqual(["fetch_it", "own"]);
    expect(each.tools?.get("other")).toBeUndefined();
    expect(each.tools?.get("fetch_it")?.available()).toContain("network");
    expect(each.definitions?.()).toMatchObject([{ name: "own" }]);
    expect(each.definitions?.()).toBe(each.definitions?.());
  }
  registry.remove("own");
  expect(executor.definitions()).toEqual([]);
});
