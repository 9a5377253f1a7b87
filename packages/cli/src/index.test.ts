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

test.each([
  ["core", "ToolResult"],
  ["agent", "AgentLoop"],
])("everything public of %s is exported here too", (name, known) => {
  const there = exportsOf(`../../${name}/src/index.ts`);
  expect(there).toContain(known);
  const here = new Set(exportsOf("./index.ts").map((each) => each.split(" as ")[0]));
  expect(there.filter((each) => !here.has(each))).toEqual([]);
});

test("the rig, the config helper and the store are exported", async () => {
  const { rig, defineConfig, openStore } = await import("./index.ts");
  expect(openStore(":memory:").readOnly).toBe(false);
  expect(rig().registry.tools()).toEqual([]);
  expect(defineConfig({ timeout: "1s" })).toEqual({ timeout: "1s" });
});
