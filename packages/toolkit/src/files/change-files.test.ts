import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Effect, Executor, textOf } from "@toolrig/core";
import { MemoryArtifactStore } from "@toolrig/core/kit";
import { beforeEach, describe, expect, test } from "vitest";
import { type Scene, scene } from "../../test/scene.ts";
import { deleteFile } from "./delete-file.ts";
import { editFile } from "./edit-file.ts";
import { listDir } from "./list-dir.ts";
import { moveFile } from "./move-file.ts";
import { writeFile } from "./write-file.ts";

let here: Scene;
beforeEach(() => {
  here = scene({ "a.txt": "one\ntwo\nthree\n", "dir/b.txt": "b" });
  const roots = here.root;
  here.use(
    writeFile({ roots }),
    editFile({ roots }),
    moveFile({ roots }),
    deleteFile({ roots }),
    listDir({ roots }),
  );
});

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const effectsOf = async (name: string, args: Record<string, unknown>): Promise<Effect[]> =>
  (await here.call(name, args)).effects ?? [];

describe("write_file", () => {
  test("makes a file and its folders, and reports what it did", async () => {
    expect(await effectsOf("write_file", { path: "new/deep/c.txt", content: "hé" })).toEqual([
      { type: "file", path: "new", op: "mkdir" },
      { type: "file", path: "new/deep", op: "mkdir" },
      { type: "file", path: "new/deep/c.txt", op: "create", bytesAfter: 3, after: sha256("hé") },
    ]);
    expect(here.get("new/deep/c.txt")).toBe("hé");
    expect(readdirSync(join(here.root, "new/deep"))).toEqual(["c.txt"]);
  });

  test("replaces a file with its rights, and not at all when nothing would change", async () => {
    chmodSync(join(here.root, "a.txt"), 0o750);
    const before = { before: sha256("one\ntwo\nthree\n"), bytesBefore: 14 };
    expect(await effectsOf("write_file", { path: "a.txt", content: "1" })).toEqual([
      { type: "file", path: "a.txt", op: "write", ...before, bytesAfter: 1, after: sha256("1") },
    ]);
    expect(statSync(join(here.root, "a.txt")).mode & 0o777).toBe(0o750);
    const { ino } = statSync(join(here.root, "a.txt"));
    expect(await here.value("write_file", { path: "a.txt", content: "1" })).toMatchObject({
      op: "unchanged",
    });
    expect(statSync(join(here.root, "a.txt")).ino).toBe(ino);
  });

  test("keeps to its conditions", async () => {
    const hash = sha256("one\ntwo\nthree\n");
    const write = (more: object) => ({ path: "a.txt", content: "new", ...more });
    expect((await here.refusal("write_file", write({ beforeHash: sha256("x") }))).message).toContain(
      "was changed",
    );
    expect((await here.refusal("write_file", write({ mustNotExist: true }))).message).toContain(
      "exists already",
    );
    expect(here.get("a.txt")).toBe("one\ntwo\nthree\n");
    expect(await here.value("write_file", write({ beforeHash: hash }))).toMatchObject({
      op: "write",
      before: hash,
    });
    // The same call again, because its answer was lost.
    expect(await here.value("write_file", write({ beforeHash: hash }))).toMatchObject({ op: "unchanged" });
    expect(
      (await here.refusal("write_file", { ...write({ beforeHash: hash }), path: "no" })).message,
    ).toContain("does not exist");
  });

  test("leaves the other names of a file what they were", async () => {
    linkSync(join(here.outside, "secret.txt"), join(here.root, "hard"));
    expect(await here.value("write_file", { path: "hard", content: "mine" })).toMatchObject({
      otherNames: 1,
    });
    expect(here.get("hard")).toBe("mine");
    expect(readFileSync(join(here.outside, "secret.txt"), "utf8")).toBe("secret");
  });

  test("follows a link in the root and none out of it", async () => {
    symlinkSync("a.txt", join(here.root, "in"));
    symlinkSync("../outside/secret.txt", join(here.root, "out"));
    symlinkSync("../outside", join(here.root, "outdir"));
    await here.value("write_file", { path: "in", content: "through" });
    expect(here.get("a.txt")).toBe("through");
    expect(lstatSync(join(here.root, "in")).isSymbolicLink()).toBe(true);
    for (const path of ["out", "outdir/new", "outdir/secret.txt", "../outside/new"])
      expect((await here.refusal("write_file", { path, content: "x" })).kind).toBe("denied");
    expect(readdirSync(here.outside)).toEqual(["secret.txt"]);
    expect(readFileSync(join(here.outside, "secret.txt"), "utf8")).toBe("secret");
  });

  test.each([".git/hooks/pre-commit", "sub/.GIT/config", ".env", "app/.env.local", ".git"])(
    "%s is protected",
    async (path) => {
      expect((await here.refusal("write_file", { path, content: "x" })).message).toContain("is protected");
      expect((await here.refusal("move_file", { path: "a.txt", to: path })).message).toContain(
        "is protected",
      );
    },
  );

  test("a link to what is protected is protected, too", async () => {
    here.put(".git/config", "x");
    symlinkSync(".git", join(here.root, "g"));
    expect((await here.refusal("write_file", { path: "g/config", content: "x" })).message).toContain(
      "protected",
    );
    expect((await here.refusal("write_file", { path: "g/new/x", content: "x" })).message).toContain(
      "protected",
    );
    expect(readdirSync(join(here.root, ".git"))).toEqual(["config"]);
    here.use(writeFile({ roots: here.root, protect: [] }));
    expect(await here.value("write_file", { path: ".git/config", content: "y" })).toMatchObject({
      op: "write",
    });
  });

  test("keeps what was there for a diff, where there is somewhere to keep it", async () => {
    const artifacts = new MemoryArtifactStore();
    here.use(writeFile({ roots: here.root, artifacts }));
    await here.value("write_file", { path: "a.txt", content: "new" });
    const id = `art_${sha256("one\ntwo\nthree\n").slice(0, 40)}`;
    expect(artifacts.read(id, 0, 3)).toMatchObject({ text: "one", labels: { confidentiality: "private" } });
  });
});

describe("edit_file", () => {
  const edit = (...edits: object[]) => ({ path: "a.txt", edits });

  test("makes several edits at once", async () => {
    const effects = await effectsOf(
      "edit_file",
      edit({ old: "one", new: "1" }, { old: "1\ntwo", new: "1\n2" }),
    );
    expect(here.get("a.txt")).toBe("1\n2\nthree\n");
    expect(effects).toMatchObject([
      { op: "write", bytesBefore: 14, bytesAfter: 10, after: sha256("1\n2\nthree\n") },
    ]);
  });

  test("makes all of them or none", async () => {
    const { message } = await here.refusal(
      "edit_file",
      edit({ old: "one", new: "1" }, { old: "four", new: "4" }),
    );
    expect(message).toMatch(/^Edit 2 of 2: .*\nNo edit was made\.$/s);
    expect(here.get("a.txt")).toBe("one\ntwo\nthree\n");
  });

  test("asks for more where the text occurs more than once", async () => {
    here.put("a.txt", "x = 1\ny = 2\nx = 1\n");
    const { message } = await here.refusal("edit_file", edit({ old: "x = 1", new: "x = 2" }));
    expect(message).toContain('occurs 2 times in "a.txt", first at line 1, 3');
    await here.value("edit_file", edit({ old: "x = 1", new: "x = 2", replaceAll: true }));
    expect(here.get("a.txt")).toBe("x = 2\ny = 2\nx = 2\n");
  });

  test("shows the nearest lines where the text is not found", async () => {
    here.put(
      "a.txt",
      "function add(a, b) {\n\treturn a + b;\n}\n\nfunction sub(a, b) {\n\treturn a - b;\n}\n",
    );
    const near = await here.refusal(
      "edit_file",
      edit({ old: "function sub(a, c) {\n\treturn a - c;\n}", new: "" }),
    );
    expect(near.message).toContain("The nearest is at lines 5 to 7, ");
    expect(near.message).toContain("\n5 | function sub(a, b) {\n6 | \treturn a - b;\n7 | }");
    const spaced = await here.refusal("edit_file", edit({ old: "  return a + b;", new: "" }));
    expect(spaced.message).toContain("at line 2, the same but for white space:\n2 | \treturn a + b;");
    const far = await here.refusal("edit_file", edit({ old: "zzzz", new: "" }));
    expect(far.message).toContain("nothing in it is like it");
  });

  test("the search for the nearest lines ends after a million characters of a file", async () => {
    const near = "function sub(a, b) {\n";
    const unlike = `${"0123456789".repeat(10)}\n`;
    const refused = async (linesBefore: number) => {
      here.put("a.txt", unlike.repeat(linesBefore) + near + unlike.repeat(100_000));
      return (await here.refusal("edit_file", edit({ old: "function sub(a, c) {", new: "" }))).message;
    };
    expect(await refused(9_000)).toContain("The nearest is at line 9001");
    expect(await refused(10_000)).toContain("nothing in it is like it");
  });

  test("keeps line ends, marks and encodings", async () => {
    here.put("a.txt", "\ufeffone\r\ntwo\r\n");
    await here.value("edit_file", edit({ old: "one\ntwo", new: "1\n2\n3" }));
    expect(here.get("a.txt")).toBe("\ufeff1\r\n2\r\n3\r\n");
    here.put("a.txt", Buffer.from("\ufeffone\n", "utf16le").swap16());
    await here.value("edit_file", edit({ old: "one", new: "zwölf" }));
    expect(readFileSync(join(here.root, "a.txt")).swap16().toString("utf16le")).toBe("\ufeffzwölf\n");
    here.put("a.txt", "mixed\r\nends\n");
    await here.value("edit_file", edit({ old: "mixed\r\n", new: "kept\r\n" }));
    expect(here.get("a.txt")).toBe("kept\r\nends\n");
  });

  test("does not grow a file without end", async () => {
    const longer = { old: "one", new: `one${"x".repeat(1_000_000)}` };
    const { message } = await here.refusal("edit_file", edit(...Array.from({ length: 50 }, () => longer)));
    expect(message).toContain("would become longer than");
    const double = { old: "o", new: "oo", replaceAll: true };
    const many = await here.refusal("edit_file", edit(...Array.from({ length: 100 }, () => double)));
    expect(many.message).toContain("more than 1000000 places");
    expect(here.get("a.txt")).toBe("one\ntwo\nthree\n");
  });

  test("edits of a letter that is everywhere in a large file leave others their turns", async () => {
    here.put("a.txt", "a".repeat(12_000_000));
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 1);
    const wanted = "a".repeat(100_000);
    const edits = Array.from({ length: 20 }, () => ({ old: `${wanted}b`, new: "", replaceAll: true }));
    const { message } = await here.refusal("edit_file", edit({ old: "a", new: "b", replaceAll: true }));
    expect(message).toContain("more than 1000000 places");
    expect((await here.refusal("edit_file", edit(...edits))).message).toContain("does not occur");
    clearInterval(counting);
    expect(turns).toBeGreaterThan(5);
  });

  test("places that overlap are more than one", async () => {
    here.put("a.txt", "}}}\n");
    const { message } = await here.refusal("edit_file", edit({ old: "}}", new: "}" }));
    expect(message).toContain("occurs 2 times");
    await here.value("edit_file", edit({ old: "}}", new: "}", replaceAll: true }));
    expect(here.get("a.txt")).toBe("}}\n");
  });

  test("half a character is neither found nor written", async () => {
    here.put("a.txt", "x 😀 y\n");
    for (const half of [
      { old: "\ud83d", new: "" },
      { old: "x", new: "\ude00" },
    ])
      expect((await here.refusal("edit_file", edit(half))).message).toContain("half a character");
    const write = { path: "a.txt", content: "a\ud83d" };
    expect((await here.refusal("write_file", write)).message).toContain("half a character");
    expect(here.get("a.txt")).toBe("x 😀 y\n");
  });

  test("$ in the new text is only that", async () => {
    await here.value("edit_file", edit({ old: "one", new: "$& $1 $$" }));
    expect(here.get("a.txt")).toBe("$& $1 $$\ntwo\nthree\n");
  });

  test("refuses what it would damage or not change", async () => {
    expect((await here.refusal("edit_file", edit({ old: "one", new: "one" }))).message).toContain(
      "same text",
    );
    expect(
      (await here.refusal("edit_file", { ...edit({ old: "a", new: "b" }), path: "no" })).message,
    ).toContain("no");
    here.put("a.txt", Buffer.from("caf\xe9", "latin1"));
    expect((await here.refusal("edit_file", edit({ old: "caf", new: "x" }))).message).toContain(
      "not valid utf-8",
    );
    here.put("a.txt", Buffer.from([1, 0, 2]));
    expect((await here.refusal("edit_file", edit({ old: "a", new: "x" }))).message).toContain("is binary");
  });
});

test("two edits of one file at once are both made", async () => {
  const edits = (old: string) =>
    here.call("edit_file", { path: "a.txt", edits: [{ old, new: old.toUpperCase() }] });
  const results = await Promise.all([edits("one"), edits("two"), edits("three")]);
  expect(results.map(({ isError }) => isError)).toEqual([false, false, false]);
  expect(here.get("a.txt")).toBe("ONE\nTWO\nTHREE\n");
});

test("an edit of what somebody else has just changed is refused", async () => {
  here.put("n", "0");
  const tools = () => new Executor({ tools: [editFile({ roots: here.root })] });
  const [one, other] = [tools(), tools()];
  for (let at = 0; at < 50; at++) {
    const edits = [{ old: String(at), new: String(at + 1) }];
    const call = { id: "call", name: "edit_file", arguments: { path: "n", edits } };
    const failed = (await Promise.all([one.call(call), other.call(call)])).filter(({ isError }) => isError);
    expect(failed).toHaveLength(1);
  }
});

describe("move_file", () => {
  test("moves files, folders and links themselves", async () => {
    const hash = sha256("one\ntwo\nthree\n");
    expect(await effectsOf("move_file", { path: "a.txt", to: "x/y.txt" })).toEqual([
      { type: "file", path: "x", op: "mkdir" },
      {
        type: "file",
        path: "a.txt",
        op: "move",
        to: "x/y.txt",
        before: hash,
        after: hash,
        bytesBefore: 14,
        bytesAfter: 14,
      },
    ]);
    expect([existsSync(join(here.root, "a.txt")), here.get("x/y.txt")]).toEqual([false, "one\ntwo\nthree\n"]);
    await here.value("move_file", { path: "dir", to: "x/dir" });
    expect(here.get("x/dir/b.txt")).toBe("b");
    symlinkSync("../outside/secret.txt", join(here.root, "out"));
    await here.value("move_file", { path: "out", to: "x/out" });
    expect(lstatSync(join(here.root, "x/out")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(here.outside, "secret.txt"), "utf8")).toBe("secret");
  });

  test("replaces nothing unless it is asked to", async () => {
    const move = { path: "a.txt", to: "dir/b.txt" };
    expect((await here.refusal("move_file", move)).message).toContain("exists already");
    expect((await here.refusal("move_file", { path: "a.txt", to: "dir" })).message).toContain(
      "exists already",
    );
    here.put("empty/.keep", "");
    const onto = await here.refusal("move_file", { path: "a.txt", to: "empty", overwrite: true });
    expect(onto.message).toContain('"empty" exists already');
    expect(
      (await here.refusal("move_file", { path: "dir", to: "empty", overwrite: true })).message,
    ).toContain("exists");
    expect(await effectsOf("move_file", { ...move, overwrite: true })).toMatchObject([
      { op: "delete", path: "dir/b.txt", before: sha256("b") },
      { op: "move", path: "a.txt", to: "dir/b.txt" },
    ]);
    expect(here.get("dir/b.txt")).toBe("one\ntwo\nthree\n");
  });

  test("stays in the roots, and out of itself", async () => {
    for (const to of ["../outside/x", "/tmp/x", "dir/../../x"])
      expect((await here.refusal("move_file", { path: "a.txt", to })).kind).toBe("denied");
    for (const path of ["../outside/secret.txt", "."])
      expect((await here.refusal("move_file", { path, to: "stolen" })).kind).toBe("denied");
    expect((await here.refusal("move_file", { path: "dir", to: "dir/in/it" })).message).toContain(
      "into itself",
    );
    expect((await here.refusal("move_file", { path: "no", to: "x" })).message).toBe('There is no "no".');
  });
});

describe("delete_file", () => {
  test("puts files and folders into the trash, from where they come back", async () => {
    for (const path of ["a.txt", "dir"]) {
      const result = await here.call("delete_file", { path });
      expect(result.effects).toMatchObject([{ op: "delete", path }]);
      expect(existsSync(join(here.root, path))).toBe(false);
      const back = /move_file with (\{.*\})/.exec(textOf(result.content))?.[1] ?? "";
      await here.value("move_file", JSON.parse(back) as Record<string, unknown>);
      expect(existsSync(join(here.root, path))).toBe(true);
    }
    expect(here.get(".trash/.gitignore")).toBe("*\n");
  });

  test("deletes for good only what holds nothing else", async () => {
    expect((await here.refusal("delete_file", { path: "dir", permanent: true })).message).toContain(
      "not empty",
    );
    await here.value("delete_file", { path: "dir/b.txt", permanent: true });
    await here.value("delete_file", { path: "dir", permanent: true });
    expect(readdirSync(here.root)).toEqual(["a.txt"]);
  });

  test("deletes a link and not what it leads to", async () => {
    symlinkSync("../outside/secret.txt", join(here.root, "out"));
    symlinkSync("../outside", join(here.root, "outdir"));
    for (const path of ["out", "outdir"]) await here.value("delete_file", { path, permanent: true });
    symlinkSync("../outside", join(here.root, "outdir"));
    expect((await here.refusal("delete_file", { path: "outdir/secret.txt" })).kind).toBe("denied");
    expect(readdirSync(here.outside)).toEqual(["secret.txt"]);
  });

  test("does not follow a trash that leads outside", async () => {
    symlinkSync("../outside", join(here.root, ".trash"));
    expect((await here.refusal("delete_file", { path: "a.txt" })).kind).toBe("denied");
    expect(here.get("a.txt")).toBe("one\ntwo\nthree\n");
  });
});

describe("list_dir", () => {
  test("names what is there, in both formats", async () => {
    symlinkSync("/etc", join(here.root, "link"));
    expect(await here.text("list_dir", {})).toBe(".: 3 entries\na.txt (14 bytes)\ndir/\nlink (link)");
    expect(JSON.parse(await here.text("list_dir", { path: "dir", output: "json" }))).toEqual({
      path: "dir",
      entries: [{ name: "b.txt", type: "file", size: 1 }],
      total: 1,
    });
    expect(await here.text("list_dir", { limit: 1 })).toContain("… and 2 more");
    expect((await here.refusal("list_dir", { path: "link" })).kind).toBe("denied");
    expect((await here.refusal("list_dir", { path: "a.txt" })).message).toContain("is a file, not a folder");
  });

  test("names cannot pretend to be more than one line", async () => {
    here.put("dir/x\ny (1 byte)", "");
    expect(await here.text("list_dir", { path: "dir" })).toContain("\nx\\u{a}y (1 byte) (0 bytes)");
  });
});

test("a file that is too large to be edited is refused before it is read", async () => {
  const path = join(here.root, "large.bin");
  truncateSync(openAt(path), 2 ** 40);
  const edits = [{ old: "a", new: "b" }];
  expect((await here.refusal("edit_file", { path: "large.bin", edits })).message).toContain("at most");
  expect(await here.value("write_file", { path: "large.bin", content: "x" })).toMatchObject({ op: "write" });
});

/** Makes an empty file. */
function openAt(path: string): string {
  writeFileSync(path, "");
  return path;
}

test("white space that looks the same is named where a text is not found", async () => {
  here.put("mixed.txt", "one\r\ntwo\nthree\r\n");
  const mixed = { path: "mixed.txt", edits: [{ old: "one\ntwo", new: "x" }] };
  expect((await here.refusal("edit_file", mixed)).message).toContain("Some lines of the file end in CR LF");
  here.put("space.txt", "const total\u00a0= 1;\n");
  const space = { path: "space.txt", edits: [{ old: "const total = 1;", new: "x" }] };
  expect((await here.refusal("edit_file", space)).message).toContain("The file has U+00A0 there");
});

test("a file that may not be written to is not replaced", async () => {
  const folder = join(here.root, "..");
  chmodSync(folder, 0o777);
  for (const each of [here.root, join(here.root, "dir")]) chmodSync(each, 0o777);
  chmodSync(join(here.root, "dir/b.txt"), 0o444);
  const program = `
    if (process.getuid() === 0) process.setuid(65534);
    const { Executor } = await import("@toolrig/core");
    const { toolkit } = await import("@toolrig/toolkit");
    const executor = new Executor({ tools: toolkit({ root: process.argv[1], processes: false }) });
    const args = { path: "dir/b.txt", content: "x" };
    const { failure } = await executor.call({ id: "c", name: "write_file", arguments: args });
    console.log(failure?.code);`;
  const node = [
    "--no-warnings",
    "--conditions=@toolrig/source",
    "--input-type=module",
    "-e",
    program,
    here.root,
  ];
  expect(execFileSync(process.execPath, node, { encoding: "utf8" }).trim()).toBe("TOOL_BLOCKED");
  expect(here.get("dir/b.txt")).toBe("b");
});
