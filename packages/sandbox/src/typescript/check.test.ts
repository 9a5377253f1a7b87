import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkTypes, findCompiler } from "./check.ts";

const folder = mkdtempSync(join(tmpdir(), "toolrig-check-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const compiler = findCompiler(process.cwd());
const declarations = `interface Input { text: string }
declare const console: { log(...values: unknown[]): void };`;
const head = "async function run(input: Input): Promise<{ length: number }> {";
const checked = (body: string, by = compiler) => checkTypes({ head, body, declarations }, by);

test("passes a body whose types fit", async () => {
  expect(await checked("console.log(input.text);\nreturn { length: input.text.length };")).toEqual({
    status: "passed",
  });
});

test("names the lines of the body, and what is there", async () => {
  expect(await checked('const n: number = input.text;\n\nreturn { length: process.env["n"] };')).toEqual({
    status: "failed",
    problems: [
      { line: 1, message: "Type 'string' is not assignable to type 'number'." },
      { line: 3, message: "Cannot find name 'process'.", hint: expect.stringContaining("tools.NAME") },
    ],
  });
});

test("what is wrong with a body does not tell what files of the host hold", async () => {
  writeFileSync(join(folder, "secret.ts"), 'export const secret = "hunter2" as const;');
  writeFileSync(join(folder, "secret.json"), '{ "hunter2": "hunter2" }');
  const at = (file: string) => JSON.stringify(join(folder, file));
  const said = await checked(
    [
      `const a: never = null as unknown as typeof import(${at("secret.ts")});`,
      `const b: never = (await import(${at("secret.ts")})).secret;`,
      `const c: never = null as unknown as typeof import(${at("secret.json")});`,
      `/// <reference path=${at("secret.ts")} />`,
      `return require(${at("secret.json")});`,
    ].join("\n"),
  );
  expect(said.status).toBe("failed");
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("types that grow without end are a problem, not a hang", async () => {
  const body = [
    "type Twice<T extends unknown[]> = [...T, ...T];",
    "type Grow<T extends unknown[], N extends unknown[]> = N extends [unknown, ...infer R] ? Grow<Twice<T>, R> : T;",
    "type Big = Grow<[1, 2], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]>;",
    'const big: Big = "";',
    "return { length: 1 };",
  ].join("\n");
  expect(await checked(body)).toMatchObject({ status: "failed" });
});

test("without a compiler, or with one that does not work, it says that nobody looked", async () => {
  expect(findCompiler(folder)).toBeUndefined();
  expect(await checkTypes({ head, body: "", declarations }, undefined)).toEqual({
    status: "skipped",
    reason: "TypeScript is not installed here",
  });
  writeFileSync(join(folder, "tsc.mjs"), 'console.log("error TS5023: Unknown option."); process.exit(1);');
  expect(await checked("", join(folder, "tsc.mjs"))).toEqual({
    status: "skipped",
    reason: "the installed TypeScript cannot be used: Unknown option.",
  });
});
