import { expect, test } from "vitest";

test("the rig, the config helper and the store are exported", async () => {
  const { rig, defineConfig, openStore } = await import("./index.ts");
  expect(openStore(":memory:").readOnly).toBe(false);
  expect(rig().registry.tools()).toEqual([]);
  expect(defineConfig({ timeout: "1s" })).toEqual({ timeout: "1s" });
});
