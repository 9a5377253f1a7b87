/** Where descriptors cannot be asked where they are, as on other systems than Linux, paths are checked before and after. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type Scene, scene } from "../../test/scene.ts";
import { toolkit } from "../toolkit.ts";
import { Roots } from "./roots.ts";

let here: Scene;
beforeEach(() => {
  here = scene({ "a.txt": "one\n", "dir/b.txt": "two\n" });
  symlinkSync("a.txt", join(here.root, "in"));
  symlinkSync("../outside/secret.txt", join(here.root, "out"));
  symlinkSync("../outside", join(here.root, "outdir"));
  execFileSync("mkfifo", [join(here.root, "pipe")]);
  const roots = Roots.of(here.root);
  Object.defineProperty(roots, "strength", { value: "paths" });
  here.use(...toolkit({ roots, ripgrep: false }));
});

test("everything works inside", async () => {
  expect(await here.text("read_file", { path: "in" })).toBe("one\n");
  await here.value("write_file", { path: "new/c.txt", content: "three\n" });
  await here.value("edit_file", { path: "dir/b.txt", edits: [{ old: "two", new: "2" }] });
  await here.value("move_file", { path: "a.txt", to: "moved.txt" });
  expect(await here.value("glob", { pattern: "*.txt" })).toMatchObject({
    paths: ["dir/b.txt", "moved.txt", "new/c.txt"],
  });
  expect(await here.text("grep", { pattern: "2|three" })).toBe("2 lines:\ndir/b.txt:1:2\nnew/c.txt:1:three");
  await here.value("delete_file", { path: "dir" });
  expect(existsSync(join(here.root, "dir"))).toBe(false);
});

test.each(["out", "outdir/secret.txt", "../outside/secret.txt", "pipe"])("%s is refused", async (path) => {
  expect((await here.refusal("read_file", { path })).kind).toBe("denied");
  expect((await here.refusal("write_file", { path, content: "x" })).kind).toBe("denied");
  expect(readdirSync(here.outside)).toEqual(["secret.txt"]);
});
