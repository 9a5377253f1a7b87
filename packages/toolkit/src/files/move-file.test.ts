import { existsSync, linkSync, lstatSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MemoryArtifactStore } from "@toolrig/core/kit";
import { beforeEach, expect, test } from "vitest";
import { type Scene, scene } from "../../test/scene.ts";
import { deleteFile } from "./delete-file.ts";
import { moveFile } from "./move-file.ts";

let here: Scene;
beforeEach(() => {
  here = scene({ "a.txt": "a", "b.txt": "b", "sub/inner/c.txt": "c" });
  here.use(moveFile({ roots: here.root }));
});
const onto = { path: "a.txt", to: "b.txt", overwrite: true };

/** Something happens while what the files hold is kept: after they were looked at, before they are moved. */
function whileLooking(happens: () => void): void {
  class Busy extends MemoryArtifactStore {
    override put(...given: Parameters<MemoryArtifactStore["put"]>) {
      happens();
      return super.put(...given);
    }
  }
  here.use(moveFile({ roots: here.root, artifacts: new Busy() }));
}

test("a target that somebody changed meanwhile is not replaced", async () => {
  whileLooking(() => here.put("b.txt", "somebody's work"));
  expect((await here.refusal("move_file", onto)).message).toContain("was changed by somebody else");
  expect([here.get("a.txt"), here.get("b.txt")]).toEqual(["a", "somebody's work"]);
});

test("a target that was not there when it was looked for is not replaced", async () => {
  whileLooking(() => here.put("new.txt", "somebody's work"));
  const { message } = await here.refusal("move_file", { ...onto, to: "new.txt" });
  expect(message).toContain("exists already");
  expect(here.get("new.txt")).toBe("somebody's work");
});

test("a file that is moved over another name of it has one name then", async () => {
  linkSync(join(here.root, "a.txt"), join(here.root, "hard.txt"));
  await here.value("move_file", { ...onto, to: "hard.txt" });
  expect([existsSync(join(here.root, "a.txt")), here.get("hard.txt")]).toEqual([false, "a"]);
  expect(lstatSync(join(here.root, "hard.txt")).nlink).toBe(1);
});

test("a link that is replaced is told, and what it leads to stays", async () => {
  symlinkSync("../outside/secret.txt", join(here.root, "link"));
  const { effects } = await here.call("move_file", { ...onto, to: "link" });
  expect(effects).toMatchObject([
    { op: "delete", path: "link" },
    { op: "move", path: "a.txt", to: "link" },
  ]);
  expect(here.get("link")).toBe("a");
});

test("a folder that holds another root is neither moved nor deleted", async () => {
  const roots = [here.root, join(here.root, "sub/inner")];
  here.use(moveFile({ roots }), deleteFile({ roots }));
  for (const path of ["sub", "sub/inner"]) {
    expect((await here.refusal("move_file", { path, to: "elsewhere" })).kind).toBe("denied");
    expect((await here.refusal("delete_file", { path })).message).toContain("or holds one");
  }
  await here.value("move_file", { path: "sub/inner/c.txt", to: "sub/d.txt" });
});

test("what hides in a name is spelt out", async () => {
  writeFileSync(join(here.root, "x\u202ey\u{e0041}"), "");
  expect(await here.text("move_file", { path: "x\u202ey\u{e0041}", to: "x" })).toBe(
    "Moved x\\u{202e}y\\u{e0041} to x.",
  );
});
