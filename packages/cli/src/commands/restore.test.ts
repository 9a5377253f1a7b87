import { copyFileSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@toolrig/store";
import { expect, test } from "vitest";
import { configOf, project, toolrig } from "../../test/toolrig-process.ts";

test("a backup is made, looked into, restored, shown as older than the world, and accepted", async () => {
  const cwd = project({ "toolrig.config.ts": configOf("", `store: "toolrig.db"`) });
  const store = openStore(join(cwd, "toolrig.db"));
  store.descriptions.set("a", "before");
  store.close();
  expect((await toolrig(["backup", "copy.db"], { cwd })).code).toBe(0);
  expect(statSync(join(cwd, "copy.db")).mode & 0o077).toBe(0);
  expect((await toolrig(["audit", "verify", "--store", "copy.db"], { cwd })).code).toBe(0);
  const { stdout } = await toolrig(["restore", "copy.db", "--json"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({
    path: join(cwd, "toolrig.db"),
    setAside: expect.stringContaining("before-restore"),
  });
  expect((await toolrig(["open"], { cwd })).stderr).toMatch(
    /Restored at .* from a backup of .*toolrig restore --accept/s,
  );
  expect((await toolrig(["doctor"], { cwd })).stdout).toMatch(/^warn +store: Restored at/m);
  expect((await toolrig(["restore", "--accept"], { cwd })).code).toBe(2);
  expect((await toolrig(["restore", "--accept", "--why", "compared"], { cwd })).code).toBe(0);
  expect((await toolrig(["open"], { cwd })).stderr).toContain("Nothing is in doubt.");
});

test("a backup that was put in place by hand is shown as restored before anything writes to it", async () => {
  const cwd = project({ "toolrig.config.ts": configOf("", `store: "toolrig.db"`) });
  openStore(join(cwd, "toolrig.db")).close();
  await toolrig(["backup", "copy.db"], { cwd });
  copyFileSync(join(cwd, "copy.db"), join(cwd, "toolrig.db"));
  expect((await toolrig(["open"], { cwd })).stderr).toMatch(/from a backup of/);
  expect((await toolrig(["restore", "--accept", "--why", "compared"], { cwd })).code).toBe(0);
});

test("restore without a store or without a backup says so, and makes nothing", async () => {
  const cwd = project({});
  expect((await toolrig(["restore", "copy.db"], { cwd })).code).toBe(2);
  expect((await toolrig(["restore", "copy.db", "--store", "toolrig.db"], { cwd })).code).toBe(2);
  expect(existsSync(join(cwd, "toolrig.db"))).toBe(false);
  expect(readdirSync(cwd).filter((name) => name.includes("restoring"))).toEqual([]);
});
