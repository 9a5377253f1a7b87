import { expect, test } from "vitest";
import { combineSources, MemoryDescriptionStore, Registry, tool, withCapabilities } from "../index.ts";
import { DefinitionList, definitionIn, withDescriptions, wrapSource } from "../kit.ts";
import type { ToolSource } from "./source.ts";

const greet = tool({
  name: "greet",
  description: "as in code",
  input: { type: "object" },
  safety: { sideEffects: "none", requires: ["voice"] },
  execute: () => "hello",
});

const WRAPPERS: [string, (source: ToolSource) => ToolSource][] = [
  ["the registry itself", (source) => source],
  ["combineSources", (source) => combineSources(source, new Registry())],
  ["a later source of combineSources", (source) => combineSources(new Registry(), source)],
  ["withCapabilities that grants", (source) => withCapabilities(source, ["voice"])],
  ["withCapabilities that does not", (source) => withCapabilities(source, [])],
  ["a source that keeps some", (source) => wrapSource(source, { keep: () => true })],
  ["a source that changes tools", (source) => wrapSource(source, { change: (each) => ({ ...each }) })],
  [
    "all of them",
    (source) => wrapSource(withCapabilities(combineSources(source), []), { change: (each) => ({ ...each }) }),
  ],
];

test.each(WRAPPERS)("an override is told through %s, at once and until it is taken back", (_name, wrap) => {
  const descriptions = new MemoryDescriptionStore();
  const source = wrap(new Registry([greet], { descriptions }));
  const told = () => definitionIn(source, source.get("greet")!).description;
  expect(told()).toBe("as in code");
  const before = source.version;
  descriptions.set("greet", "overridden");
  expect(told()).toBe("overridden");
  expect(source.version).not.toBe(before);
  expect(definitionIn(source, source.tools()[0]!)).toBe(definitionIn(source, source.get("greet")!));
  descriptions.delete("greet");
  expect(told()).toBe("as in code");
});

test("a provider is told through a source that changes tools", () => {
  const registry = new Registry().add(greet, { provider: "manners" });
  const source = wrapSource(registry, { change: (each) => ({ ...each }) });
  expect(source.providerOf?.(source.get("greet")!)).toBe("manners");
  expect(source.get("greet")).toBe(source.tools()[0]);
});

test("a list of definitions stays the same object until a description changes", () => {
  const descriptions = new MemoryDescriptionStore();
  const list = new DefinitionList(withDescriptions(new Registry([greet]), descriptions));
  const first = list.current();
  expect(list.current()).toBe(first);
  descriptions.set("greet", "overridden");
  expect(list.current()).not.toBe(first);
  expect(list.current()).toEqual([{ ...greet.definition, description: "overridden" }]);
});

test("a store that cannot be read leaves the descriptions of the code", () => {
  const broken = new MemoryDescriptionStore();
  Object.defineProperty(broken, "version", {
    get: () => {
      throw new Error("disk I/O error");
    },
  });
  broken.get = () => {
    throw new Error("disk I/O error");
  };
  const list = new DefinitionList(withDescriptions(new Registry([greet]), broken));
  expect(list.current()).toEqual([greet.definition]);
});

test("a store that could not be read once is asked again", () => {
  const store = new MemoryDescriptionStore();
  store.set("greet", "overridden");
  const get = store.get.bind(store);
  const list = new DefinitionList(withDescriptions(new Registry([greet]), store));
  store.get = () => {
    throw new Error("busy");
  };
  expect(list.current()[0]?.description).toBe("as in code");
  store.get = get;
  expect(list.current()[0]?.description).toBe("overridden");
});

test("a tool that is offered beside combined sources is described by the one that has something to say", () => {
  const descriptions = new MemoryDescriptionStore();
  const source = combineSources(new Registry(), new Registry([], { descriptions }));
  expect(definitionIn(source, greet)).toBe(greet.definition);
  descriptions.set("greet", "overridden");
  expect(definitionIn(source, greet).description).toBe("overridden");
});

test("where the newest version is not kept, the name finds the newest that is", () => {
  const version = (text: string) =>
    tool({ name: "grown", version: text, description: "d", input: { type: "object" }, execute: () => text });
  const registry = new Registry([version("1.0.0"), version("2.0.0"), version("3.0.0")]);
  const source = wrapSource(registry, { keep: (each) => each.version !== "3.0.0" });
  expect(source.get("grown")).toBe(source.tools()[0]);
  expect(source.get("grown")?.version).toBe("2.0.0");
  expect(source.get("grown", "^1")?.version).toBe("1.0.0");
  expect(source.get("grown", "^3")).toBeUndefined();
});
