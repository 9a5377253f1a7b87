import { describe, expect, test, vi } from "vitest";
import { ToolrigError } from "../failure/failure.ts";
import { Executor } from "../pipeline/executor.ts";
import { MemoryDescriptionStore } from "../stores/descriptions.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { AnyTool, ToolSpec } from "../tool/tool.ts";
import { globalTools, registerTool } from "./global-tools.ts";
import { Registry } from "./registry.ts";
import { combineSources } from "./source.ts";
import { wrapSource } from "./wrap-source.ts";

function named(name: string, spec: Partial<ToolSpec<unknown, unknown>> = {}, trusted = true): AnyTool {
  const base: ToolSpec<unknown, unknown> = {
    name,
    description: `Does ${name}`,
    input: { type: "object" },
    execute: () => spec.version ?? name,
  };
  return defineTool({ ...base, ...spec }, { trusted });
}

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return ToolrigError.isInstance(error) ? error.code : "another error";
  }
  return "no error";
}

const names = (tools: readonly { name: string }[]) => tools.map((tool) => tool.name);

test("all lists are sorted by name and empty lists are lists", () => {
  const empty = new Registry();
  expect([empty.tools(), empty.definitions(), empty.allDefinitions(), empty.checkAvailability()]).toEqual([
    [],
    [],
    [],
    [],
  ]);
  const registry = new Registry([named("b"), named("a"), named("B")]);
  expect(names(registry.tools())).toEqual(["B", "a", "b"]);
  expect(names(registry.definitions())).toEqual(["B", "a", "b"]);
  expect(names(registry.checkAvailability())).toEqual(["B", "a", "b"]);
});

test("names that every object has are not there until they are added", () => {
  const registry = new Registry();
  for (const name of ["__proto__", "constructor", "toString"]) {
    expect(registry.get(name)).toBeUndefined();
    expect(registry.remove(name)).toBe(false);
  }
  registry.add(named("__proto__")).add(named("constructor"));
  expect(names(registry.tools())).toEqual(["__proto__", "constructor"]);
  expect(names(registry.definitions({}))).toEqual(["__proto__", "constructor"]);
});

describe("conflicts", () => {
  test("a name that is taken is refused, naming who has it", () => {
    const registry = new Registry().add(named("search"), { provider: "web" });
    expect(() => registry.add(named("search"))).toThrow(/"local" cannot add search: provider "web" has/);
    expect(registry.version).toBe("1.0");
  });

  test("replaces when told to", () => {
    const second = named("search", { description: "Better" });
    const registry = new Registry([named("search")], { onConflict: "replace" }).add(second);
    expect(registry.tools()).toEqual([second]);
  });

  test("a policy that does not exist is refused", () => {
    expect(codeOf(() => new Registry([], { onConflict: "merge" as never }))).toBe("OPTION_INVALID");
  });

  test("a tool from outside takes no name that another provider has, in any version and under any policy", () => {
    const registry = new Registry([named("search", { version: "1.0.0" })], { onConflict: "replace" });
    for (const version of ["1.0.0", "9.0.0", undefined]) {
      const impostor = named("search", version === undefined ? {} : { version }, false);
      expect(codeOf(() => registry.add(impostor, { provider: "mcp" }))).toBe("TOOL_NAME_TAKEN");
    }
    expect(registry.get("search")?.version).toBe("1.0.0");
  });

  test("a provider may add versions of its own tool from outside", () => {
    const registry = new Registry().add(named("search", { version: "1.0.0" }, false), { provider: "mcp" });
    registry.add(named("search", { version: "1.1.0" }, false), { provider: "mcp" });
    expect(registry.get("search")?.version).toBe("1.1.0");
  });

  test("a protected tool cannot be replaced or shadowed, not even by trusted code", () => {
    const registry = new Registry([], { onConflict: "replace" }).add(named("login", { version: "1.0.0" }), {
      provider: "auth",
      protected: true,
    });
    expect(codeOf(() => registry.add(named("login", { version: "2.0.0" })))).toBe("TOOL_NAME_TAKEN");
    expect(codeOf(() => registry.add(named("login", { version: "1.0.0" })))).toBe("TOOL_NAME_TAKEN");
  });

  test("a protected tool replaces the impostors that came first", () => {
    const registry = new Registry().add(named("login", { version: "9.0.0" }, false), { provider: "mcp" });
    const real = named("login", { version: "1.0.0" });
    registry.add(real, { provider: "auth", protected: true });
    expect(registry.tools()).toEqual([real]);
  });
});

describe("a tool that yields", () => {
  const made = (version: string) => named("search", { version });
  const as = { provider: "dynamic", yields: true };

  test("takes no name that another provider has, however trusted it is", () => {
    const registry = new Registry([named("search")], { onConflict: "replace" });
    expect(() => registry.add(made("9.0.0"), as)).toThrow(/made at run time never replaces/);
  });

  test("makes room for another provider's, also from outside, in any version", () => {
    for (const trusted of [true, false]) {
      const other = named("search", { version: "1.0.0" }, trusted);
      const registry = new Registry().add(made("9.0.0"), as).add(other, { provider: "web" });
      expect(registry.tools()).toEqual([other]);
    }
  });

  test("stands beside newer versions of its own provider", () => {
    const registry = new Registry().add(made("1.0.0"), as).add(made("2.0.0"), as);
    expect(registry.get("search")?.version).toBe("2.0.0");
    expect(registry.tools()).toHaveLength(2);
  });

  test("is found in combined sources only where nobody else has the name, through every wrapper", () => {
    const first = new Registry().add(made("9.0.0"), as).add(named("own"), as);
    const later = new Registry();
    const all = combineSources(wrapSource(combineSources(first), { change: (each) => ({ ...each }) }), later);
    expect([all.get("search")?.version, all.tools().length]).toEqual(["9.0.0", 2]);
    later.add(named("search", { version: "1.0.0" }, false), { provider: "web" });
    expect(all.get("search")?.version).toBe("1.0.0");
    expect(all.get("search", "^9")).toBeUndefined();
    expect(all.tools().map(({ name, version }) => `${name} ${version}`)).toEqual([
      "own undefined",
      "search 1.0.0",
    ]);
    expect(all.providerOf?.(all.get("search")!)).toBe("web");
    later.remove("search");
    expect(all.providerOf?.(all.get("search")!)).toBe("dynamic");
  });
});

describe("versions", () => {
  const registry = new Registry(
    ["1.0.0", "1.10.0", "1.9.0", "2.0.0"].map((version) => named("search", { version })),
  );

  test("the newest is found, or the newest in a range", () => {
    expect(registry.get("search")?.version).toBe("2.0.0");
    expect(registry.get("search", "^1.2")?.version).toBe("1.10.0");
    expect(registry.get("search", "~1.9.0")?.version).toBe("1.9.0");
    expect(registry.get("search", "^3")).toBeUndefined();
  });

  test("a model sees one version of each tool, the newest that its range accepts", () => {
    expect(registry.definitions().map((each) => each.version)).toEqual(["2.0.0"]);
    expect(registry.definitions({ search: "1.x" }).map((each) => each.version)).toEqual(["1.10.0"]);
    expect(registry.definitions({ search: "^7" })).toEqual([]);
    expect(registry.allDefinitions().map((each) => each.version)).toEqual([
      "2.0.0",
      "1.10.0",
      "1.9.0",
      "1.0.0",
    ]);
  });

  test("a tool without a version is older than any and in no range", () => {
    const mixed = new Registry([named("search"), named("search", { version: "0.1.0" })]);
    expect(mixed.get("search")?.version).toBe("0.1.0");
    expect(mixed.get("search", "*")?.version).toBe("0.1.0");
    expect(new Registry([named("search")]).get("search", ">=0.0.0")).toBeUndefined();
  });

  test("one version or all are removed", () => {
    const some = new Registry([named("a", { version: "1.0.0" }), named("a", { version: "2.0.0" })]);
    expect(some.remove("a", "2.0.0")).toBe(true);
    expect(some.remove("a", "2.0.0")).toBe(false);
    expect(some.get("a")?.version).toBe("1.0.0");
    expect(some.remove("a")).toBe(true);
    expect(some.get("a")).toBeUndefined();
  });
});

test("a provider's tools are removed together", () => {
  const registry = new Registry([named("a")])
    .add(named("b"), { provider: "web" })
    .add(named("c"), { provider: "web" });
  expect(registry.removeProvider("web")).toBe(2);
  expect(registry.removeProvider("web")).toBe(0);
  expect(names(registry.tools())).toEqual(["a"]);
});

test("availability is asked anew and its reason is given", () => {
  let available: boolean | string = "no API key";
  const registry = new Registry([named("search", { available: () => available }), named("read")]);
  expect(names(registry.definitions())).toEqual(["read"]);
  expect(registry.checkAvailability()[1]).toMatchObject({
    available: false,
    reason: "no API key",
    provider: "local",
  });
  available = true;
  expect(names(registry.definitions())).toEqual(["read", "search"]);
  expect(registry.checkAvailability()[1]).toMatchObject({ available: true, reason: undefined });
});

test("the list of definitions stays the same object until it would differ", () => {
  let available = true;
  const descriptions = new MemoryDescriptionStore();
  const registry = new Registry([named("a"), named("b", { available: () => available })], { descriptions });
  const first = registry.definitions();
  expect(registry.definitions()).toBe(first);
  available = false;
  const second = registry.definitions();
  expect(second).not.toBe(first);
  expect(registry.definitions()).toBe(second);
  registry.add(named("c"));
  expect(registry.definitions()).not.toBe(second);
  const third = registry.definitions();
  descriptions.set("a", "Other words");
  expect(registry.definitions()).not.toBe(third);
});

test("descriptions are overridden at run time, and a change shows in the version", () => {
  const descriptions = new MemoryDescriptionStore();
  const registry = new Registry([named("a")], { descriptions });
  const before = registry.version;
  descriptions.set("a", "Other words");
  expect(registry.version).not.toBe(before);
  expect(registry.definitions()[0]?.description).toBe("Other words");
  expect(registry.checkAvailability()[0]?.description).toBe("Other words");
  descriptions.delete("a");
  expect(registry.definitions()[0]?.description).toBe("Does a");
});

test("raw dispatch runs a tool that says it is unavailable, without checking its arguments", async () => {
  const execute = vi.fn(() => "ran");
  const registry = new Registry([named("a", { available: () => false, execute })]);
  expect(await registry.execute("a", 5)).toBe("ran");
  expect(execute).toHaveBeenCalledWith(5, expect.objectContaining({ attempt: 1 }));
  await expect(registry.execute("b", {})).rejects.toMatchObject({ failure: { code: "TOOL_NOT_FOUND" } });
});

test("what is no tool is refused with what is expected", () => {
  expect(() => new Registry([{} as never])).toThrow(/made by tool\(\) or an AI SDK tool; got object/);
  expect(() => new Registry([null as never])).toThrow(/got null/);
});

test("a tool registered for the process is there for an executor that names none", async () => {
  registerTool(named("process_wide"));
  expect(await new Executor().call({ id: "c", name: "process_wide" })).toMatchObject({
    value: "process_wide",
  });
  const own = new Executor({ tools: [] });
  expect((await own.call({ id: "c", name: "process_wide" })).failure?.code).toBe("TOOL_NOT_FOUND");
  globalTools.remove("process_wide");
});

test("of several sources the first that has a name wins, in every version", () => {
  const first = new Registry([named("a", { version: "1.0.0" })]);
  const second = new Registry().add(named("a", { version: "2.0.0" }), { provider: "web" }).add(named("b"));
  const both = combineSources(first, second);
  expect(both.get("a")?.version).toBe("1.0.0");
  expect(both.get("a", "^2")).toBeUndefined();
  expect(both.tools().map((each) => `${each.name}@${each.version}`)).toEqual(["a@1.0.0", "b@undefined"]);
  expect(both.providerOf?.(both.get("b")!)).toBe("local");
  const version = both.version;
  second.add(named("c"));
  expect(both.version).not.toBe(version);
});
