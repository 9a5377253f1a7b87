import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "toolrig-diff-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What `patch` makes of the old text with our difference: the judge of the format. */
function patched(before: string, diff: string): string {
  const file = join(folder, "f");
  writeFileSync(file, before);
  writeFileSync(join(folder, "d"), diff);
  execFileSync("patch", ["--quiet", "-p1", "f", "d"], { cwd: folder });
  return readFileSync(file, "utf8");
}

function diff(before: string | undefined, after: string | undefined): string {
  return unifiedDiff({ path: "f", text: before }, { path: "f", text: after });
}

test("shows a changed line with three lines around it", () => {
  const lines = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`);
  const changed = lines.with(4, "changed\n");
  expect(diff(lines.join(""), changed.join(""))).toBe(
    [
      "--- a/f",
      "+++ b/f",
      "@@ -2,7 +2,7 @@",
      " line 2",
      " line 3",
      " line 4",
      "-line 5",
      "+changed",
      " line 6",
      " line 7",
      " line 8",
      "",
    ].join("\n"),
  );
});

test("is empty for equal texts and names a missing side", () => {
  expect(diff("a\n", "a\n")).toBe("");
  expect(diff(undefined, "a\n")).toBe("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n");
  expect(diff("a\n", undefined)).toBe("--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
});

test("notes a line that lost its end", () => {
  expect(diff("a\nb\n", "a\nb")).toBe(
    "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n",
  );
});

test.skipIf(spawnSync("patch", ["--version"]).error !== undefined)(
  "random edits: patch turns the old text into the new one",
  () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % below;
    };
    for (let round = 0; round < 60; round++) {
      const before = Array.from({ length: 1 + random(60) }, () => `${random(8)}\n`);
      const after = before.flatMap((line) => {
        const dice = random(10);
        return dice === 0
          ? []
          : dice === 1
            ? [line, `new ${random(5)}\n`]
            : dice === 2
              ? ["other\n"]
              : [line];
      });
      if (after.length === 0) after.push("left\n");
      const text = diff(before.join(""), after.join(""));
      if (text !== "") expect(patched(before.join(""), text)).toBe(after.join(""));
    }
  },
);

test("texts without a common line end as a replacement, in bounded time", () => {
  const many = (name: string) => Array.from({ length: 20_000 }, (_, index) => `${name} ${index}\n`).join("");
  expect(diff(many("a"), many("b")).split("\n").length).toBeGreaterThan(40_000);
});
