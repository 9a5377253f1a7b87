/**
 * Runs every TypeScript block of the README and the docs as a program of its own. A `text` block right after it is
 * what the program must print.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const scratch = join(root, ".snippets");
const pages = ["README.md", ...readdirSync(import.meta.dirname).map((file) => join("docs", file))].filter(
  (file) => file.endsWith(".md"),
);

const snippets = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8");
  const blocks = text.matchAll(/^```ts\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```$)?/gm);
  return [...blocks].map(([, code, output], index) => ({
    title: `${page} #${index + 1}`,
    page,
    index,
    code,
    output,
  }));
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test.each(snippets)("$title runs", { timeout: 30_000 }, ({ page, index, code, output }) => {
  mkdirSync(scratch, { recursive: true });
  const file = join(scratch, `${page.replaceAll(/\W/g, "-")}-${index}.ts`);
  writeFileSync(file, code!);
  const printed = execFileSync("node", ["--conditions=@toolrig/source", file], {
    cwd: scratch,
    encoding: "utf8",
  });
  if (output !== undefined) expect(printed.trimEnd()).toBe(output.trimEnd());
});

test("the pages have snippets", () => {
  expect(snippets.length).toBeGreaterThan(0);
});
