import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The names a module exports, types included. */
function exportsOf(file: string): string[] {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map((match) => match[1]!);
  return lists
    .flatMap((list) => list.split(",").map((name) => name.replace(/^\s*(?:type )?/, "").trim()))
    .filter(Boolean);
}

test("everything public of core is exported here too", () => {
  const core = exportsOf("../../core/src/index.ts");
  expect(core).toContain("ToolResult");
  const here = new Set(exportsOf("./index.ts"));
  expect(core.filter((name) => !here.has(name))).toEqual([]);
});

test("the rig and the config helper are exported", async () => {
  const { rig, defineConfig } = await import("./index.ts");
  expect(rig().registry.tools()).toEqual([]);
  expect(defineConfig({ timeout: "1s" })).toEqual({ timeout: "1s" });
});
