/** Every example runs as a reader would run it, and prints what the comment at its top says. */
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { exampleFile, exampleNames, exampleTitle } from "../scripts/example.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const names = exampleNames();
const hasPython =
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;
if (!hasPython) console.warn("python3 of 3.9 or later is not there: the example in Python is not tested.");

/** The chat is tried in a browser: chat.test.ts. */
const printing = names.filter((name) => name !== "chat" && (name !== "python" || hasPython));

const env = { NODE_COMPILE_CACHE: join(tmpdir(), "toolrig-compile-cache"), ...process.env };
const example = (...args: string[]) => run("node", ["scripts/example.ts", ...args], { cwd: root, env });

describe.concurrent("examples print what they say", () => {
  test.each(printing)("%s", async (name) => {
    const { stdout } = await example(name);
    expect(shortened(stdout, promised(name))).toBe(promised(name));
  });
});

test("each says what it shows and how to run it, and is in the table", () => {
  const table = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
  for (const name of names) {
    expect(exampleTitle(name), name).toMatch(/^[A-Z].{10,60}$/);
    expect(headerOf(name), name).toContain(`    npm run example ${name}\n`);
    expect(table).toContain(`\`npm run example ${name}\``);
  }
  const listed = Array.from(table.matchAll(/^\| .*`npm run example ([\w-]+)`/gm), ([, name]) => name);
  expect(listed.toSorted()).toEqual(names);
});

test("without a name they are listed, and so they are for one that there is not", async () => {
  const { stdout } = await example();
  for (const name of names) expect(stdout).toContain(`  ${name} `);
  await expect(example("../../etc")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no example ../../etc."),
  });
});

function headerOf(name: string): string {
  const [, comment = ""] = /^\/\*\*\n([\s\S]*?) \*\//.exec(readFileSync(exampleFile(name), "utf8")) ?? [];
  return comment.replaceAll(/^ \* ?/gm, "");
}

/** The indented lines at the end of the comment. */
function promised(name: string): string {
  const lines = headerOf(name).trimEnd().split("\n");
  const text = lines.slice(lines.findLastIndex((line) => /^\S/.test(line)) + 1);
  return text
    .map((line) => line.slice(4))
    .join("\n")
    .trim();
}

/** What was printed, with "…" where the comment has it: for what differs from run to run. */
function shortened(printed: string, comment: string): string {
  const patterns = comment.split("\n").map((line) => {
    const parts = line.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return { line, pattern: new RegExp(`^${parts.join(".*")}$`) };
  });
  const lines = printed.trimEnd().split("\n");
  if (comment.endsWith("\n…")) lines.splice(patterns.length - 1, lines.length, "…");
  return lines
    .map((each, index) => (patterns[index]?.pattern.test(each) ? patterns[index].line : each))
    .join("\n");
}
