import { expect, test } from "vitest";
import { type StripRequest, stripBody } from "./strip.ts";

const problemOf = async (text: string, request?: StripRequest) => {
  const stripped = await stripBody(text, request);
  return stripped.ok ? stripped : stripped.problem;
};

test("takes types out and leaves every other character where it was", async () => {
  const text = [
    "interface Row { id: number }",
    "const rows = (await tools.list({})) as Row[];",
    "return rows.map(({ id }: Row): number => id!); // ünïcode",
  ].join("\n");
  const stripped = await stripBody(text);
  if (!stripped.ok) throw new Error(stripped.problem.message);
  expect(stripped.code).not.toContain("Row");
  expect(stripped.code.split("\n").map((line) => line.length)).toEqual(
    text.split("\n").map((line) => line.length),
  );
  expect(stripped.code.indexOf("await")).toBe(text.indexOf("await"));
});

test("says which syntax cannot be erased, where, and what to write instead", async () => {
  expect(await problemOf("const a = 1;\nenum Color { red }")).toMatchObject({
    message: "TypeScript enum is not supported.",
    line: 2,
    hint: expect.stringContaining("as const"),
  });
  expect(await problemOf("\n\nclass A { constructor(private x: number) {} }")).toMatchObject({
    line: 3,
    hint: expect.stringContaining("constructor"),
  });
  expect(await problemOf("return <string>input.name;")).toMatchObject({ hint: "Write: value as Type." });
  expect(await problemOf("namespace A { export const b = 1 }")).toMatchObject({
    line: 1,
    hint: expect.any(String),
  });
  expect(await problemOf('import fs from "node:fs";\nreturn 1;')).toMatchObject({
    hint: expect.stringContaining("no modules"),
  });
});

test("names the line of what is no TypeScript", async () => {
  expect(await problemOf("const a = 1;\nconst = 2;")).toMatchObject({ line: 2 });
  expect(await problemOf("foo(")).toMatchObject({ line: 1, hint: expect.stringContaining("closed") });
});

test.each([
  "} globalThis.out = 1; {",
  "} async other() {",
  "}; async function body() {",
  "return 1; } }\nclass Body { async body() {",
])("a text that closes what it did not open is refused: %s", async (text) => {
  expect((await stripBody(text)).ok).toBe(false);
});

test("text that breaks the parser or keeps it busy is refused, and the next is read", async () => {
  const texts = [
    `return ${"(".repeat(20_000)}1${")".repeat(20_000)}`,
    `return ${"<T>(".repeat(40)}1${")".repeat(40)}`,
    "return 1 as number",
  ];
  const answers = await Promise.all(texts.map((text) => stripBody(text)));
  expect(answers.map(({ ok }) => ok)).toEqual([false, false, true]);
});

/** Keeps the parser busy for longer than any limit. */
const ENDLESS = `return ${"<T>(".repeat(40)}1${")".repeat(40)}`;

test("hostile texts of one principal do not delay the text of another, and end when their calls do", async () => {
  const leaving = new AbortController();
  let over = 0;
  const hostile = Array.from({ length: 3 }, async () => {
    const stripped = await stripBody(ENDLESS, { principal: "eve", signal: leaving.signal });
    over += 1;
    return stripped;
  });
  expect(await stripBody("return 1 as number", { principal: "bob" })).toMatchObject({ ok: true });
  expect(over).toBe(0);
  leaving.abort();
  for (const stripped of await Promise.all(hostile))
    expect(stripped).toMatchObject({ ok: false, problem: { message: expect.stringContaining("cancelled") } });
  expect(await stripBody("return 1 as number", { principal: "eve" })).toMatchObject({ ok: true });
});

test("a text is given up at the limit of its call", async () => {
  expect(await problemOf(ENDLESS, { withinMs: 50 })).toMatchObject({ message: "It takes too long to read." });
});
