import { describe, expect, test } from "vitest";
import { textOf } from "../../call/content.ts";
import { type Outcome, result } from "../../call/result.ts";
import { readResultTool } from "../../source/read-result.ts";
import { Registry } from "../../source/registry.ts";
import { MemoryArtifactStore } from "../../stores/artifacts.ts";
import { MemoryCallStore } from "../../stores/records.ts";
import { tool } from "../../tool/define-tool.ts";
import { Executor } from "../executor.ts";
import type { ExecutorOptions } from "../options.ts";

function setUp(outcome: Outcome | string, options: ExecutorOptions = {}) {
  const print = tool({
    name: "print",
    description: "Prints",
    input: { type: "object" },
    safety: { sideEffects: "none" },
    execute: () => (typeof outcome === "string" ? outcome : result(outcome)),
  });
  const tools = new Registry([print]);
  const executor = new Executor({ tools, maxContent: 1_000, ...options });
  const read = (args: object) => executor.call({ id: "r", name: "read_result", arguments: args });
  return { executor, tools, read, print: () => executor.call({ id: "c", name: "print" }) };
}

const long = Array.from({ length: 1_000 }, (_, index) => `line ${index}`).join("\n");

test("content within the cap is left alone", async () => {
  const { content, artifact } = await setUp("x".repeat(1_000)).print();
  expect(textOf(content)).toHaveLength(1_000);
  expect(artifact).toBeUndefined();
});

test("of longer content head and tail stay, and the whole is kept", async () => {
  const { executor, print } = setUp(long);
  const { content, artifact, value } = await print();
  const text = textOf(content);
  expect(text.length).toBeLessThan(1_200);
  expect(text.startsWith("line 0\nline 1\n")).toBe(true);
  expect(text.endsWith("line 999")).toBe(true);
  expect(text).toContain(`of ${long.length} characters left out; kept as ${artifact}`);
  expect(value).toBe(long);
  expect(await executor.artifacts.read(artifact!, 0, long.length)).toEqual({
    text: long,
    length: long.length,
  });
});

test("a character of two halves is not cut in two", async () => {
  const { print } = setUp("😀".repeat(1_000), { maxContent: 101 });
  expect(textOf((await print()).content).isWellFormed()).toBe(true);
});

test("parts that are not text stay, and count for nothing", async () => {
  const image = { type: "image", data: "A".repeat(5_000), mimeType: "image/png" } as const;
  const small = await setUp({ content: [image, { type: "text", text: "see" }] }).print();
  expect(small.artifact).toBeUndefined();
  const large = await setUp({ content: [{ type: "text", text: long }, image] }).print();
  expect(large.content.map((part) => part.type)).toEqual(["text", "image"]);
});

test("text inside a resource counts, and the resource stays", async () => {
  const page = { type: "resource", uri: "https://example.com/", mimeType: "text/html", text: long } as const;
  const { content, artifact } = await setUp({ content: [page] }).print();
  expect(content).toEqual([
    { type: "text", text: expect.stringContaining("characters left out") },
    { type: "resource", uri: "https://example.com/", mimeType: "text/html" },
  ]);
  expect(artifact).toBeDefined();
});

test("text in several parts is one text", async () => {
  const parts = Array.from({ length: 3 }, () => ({ type: "text" as const, text: "y".repeat(400) }));
  const { content, artifact } = await setUp({ content: parts }).print();
  expect(content).toHaveLength(1);
  expect(artifact).toBeDefined();
});

test("a store that fails costs the rest of the text, not the call", async () => {
  const artifacts = Object.assign(new MemoryArtifactStore(), {
    put: () => {
      throw new Error("disk full");
    },
  });
  const { content, artifact, isError } = await setUp(long, { artifacts }).print();
  expect(isError).toBe(false);
  expect(textOf(content)).toContain("the rest could not be kept: disk full");
  expect(artifact).toBeUndefined();
});

describe("read_result", () => {
  test("pages through what was left out, to the end", async () => {
    const { executor, tools, print, read } = setUp(long);
    tools.add(readResultTool(executor.artifacts));
    const { content, artifact: id } = await print();
    expect(textOf(content)).toContain(`read_result reads it: id "${id}"`);
    let text = "";
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page = textOf((await read({ id, offset, length: 900 })).content);
      const [, part, next] =
        /^([\s\S]*)\n\[characters \d+ to \d+ of \d+\.(?: Continue at offset (\d+)\.| This is the end\.)\]$/.exec(
          page,
        )!;
      text += part;
      offset = next === undefined ? undefined : Number(next);
    }
    expect(text).toBe(long);
  });

  test("reads from the executor that runs the call, in parts that its cap does not cut", async () => {
    const { tools, print, read } = setUp(long, { maxContent: 200 });
    tools.add(readResultTool());
    const { artifact: id } = await print();
    const { content, artifact } = await read({ id, length: 900 });
    expect(artifact).toBeUndefined();
    expect(textOf(content)).toMatch(
      /^[\s\S]{100,}\n\[characters 0 to \d+ of \d+\. Continue at offset \d+\.\]$/,
    );
  });

  test("tells the model about an id that does not exist, and an offset beyond the end", async () => {
    const { executor, tools, print, read } = setUp(long);
    tools.add(readResultTool(executor.artifacts));
    const { artifact: id } = await print();
    expect((await read({ id: "art_none" })).failure?.kind).toBe("validation");
    expect(textOf((await read({ id, offset: 1_000_000 })).content)).toContain("This is the end.");
    expect((await read({ id, length: 1_000_000 })).failure?.kind).toBe("validation");
  });
});

test("the oldest artifacts go when the store is full", () => {
  const store = new MemoryArtifactStore(10);
  const first = store.put("12345");
  const second = store.put("67890");
  const third = store.put("abcde");
  expect(store.read(first, 0, 9)).toBeUndefined();
  expect(store.read(second, 1, 3)).toEqual({ text: "78", length: 5 });
  expect(store.read(third, 0, 9)?.text).toBe("abcde");
});

describe("a secret where long content is cut", () => {
  const pad = (length: number) =>
    "lorem ipsum dolor\n"
      .repeat(length)
      .slice(0, length - 1)
      .concat("\n");
  const values = ["correct horse battery staple zebra"];

  test.each([
    ["a field", "password: ", "hunter2Zx9Qw7"],
    ["a variable", "export DB_PASSWORD=", "hunter2Zx9Qw7"],
    ["JSON", '{"password": ', '"hunter2Zx9Qw7"}'],
    ["an option", "mysql --password ", "hunter2Zx9Qw7"],
    ["a header", "Authorization: Bearer ", "hunter2Zx9Qw7abcdefgh"],
    ["an address", "postgres://bob:", "hunter2Zx9Qw7@db/x"],
    ["a token", "ghp_hunter2Zx9Qw7", "hunter2Zx9Qw7hunter2Zx9Qw7"],
    ["a known value", "correct horse ", "battery staple zebra"],
    ["a private key", "-----BEGIN PRIVATE KEY-----\nhunter2", "Zx9Qw7abcdefgh\n-----END PRIVATE KEY-----"],
  ])("is not recorded: %s", async (_name, before, after) => {
    for (const moved of [-3, -1, 0, 1, 4]) {
      const tail = `${pad(5_000)}${before}${after}\n${pad(300 - after.length - 1 + moved)}`;
      const head = `${pad(700 - before.length + moved)}${before}${after}\n${pad(5_000)}`;
      for (const text of [tail, head]) {
        const store = new MemoryCallStore();
        const { executor, print } = setUp(text, { store, redact: { values } });
        expect(textOf((await print()).content)).toContain("lorem ipsum");
        await executor.flush();
        const shown = textOf(store.records()[0]?.result.content ?? []);
        expect(shown).not.toMatch(/hunter2|Zx9Qw7|staple/);
        expect(shown).toContain("characters left out");
      }
    }
  });
});
