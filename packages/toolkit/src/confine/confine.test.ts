import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openEntry, openFolder } from "./folder.ts";
import { openFile } from "./opened.ts";
import { Roots } from "./roots.ts";

let base: string;
let root: string;
let roots: Roots;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "confine-")));
  root = join(base, "root");
  mkdirSync(join(root, "sub/deep"), { recursive: true });
  mkdirSync(join(base, "outside"));
  mkdirSync(join(base, "root-twin"));
  writeFileSync(join(base, "outside/secret.txt"), "secret");
  writeFileSync(join(base, "root-twin/secret.txt"), "secret");
  writeFileSync(join(root, "sub/a.txt"), "inside");
  roots = Roots.of(root);
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

async function read(path: string): Promise<string> {
  const file = await openFile(roots, path);
  try {
    return await file.handle.readFile("utf8");
  } finally {
    await file.handle.close();
  }
}

async function entry(path: string, options: { make?: boolean; follow?: boolean } = {}): Promise<string> {
  const { folder, name } = await openEntry(roots, path, options);
  await folder.close();
  return join(folder.real, name);
}

const failing = (kind: string, message: string | RegExp) =>
  expect.objectContaining({
    failure: expect.objectContaining({ kind, message: expect.stringMatching(message) }),
  });

describe("reading", () => {
  test.each(["sub/a.txt", "./sub/../sub//a.txt", "sub/deep/../a.txt"])("%s is inside", async (path) => {
    expect(await read(path)).toBe("inside");
  });

  test("an absolute path inside the root is the same file", async () => {
    expect(await read(join(root, "sub/a.txt"))).toBe("inside");
  });

  test("the root may be given by way of a link, and so may its files", async () => {
    symlinkSync(root, join(base, "alias"));
    roots = Roots.of(join(base, "alias"));
    expect(await read("sub/a.txt")).toBe("inside");
    expect(await read(join(base, "alias/sub/a.txt"))).toBe("inside");
    expect(await read(join(root, "sub/a.txt"))).toBe("inside");
  });

  test.each([
    "../outside/secret.txt",
    "sub/../../outside/secret.txt",
    "../root-twin/secret.txt",
    "/etc/passwd",
    "/proc/self/environ",
    "..",
    "/",
  ])("%s is outside", async (path) => {
    await expect(read(path)).rejects.toEqual(failing("denied", "outside of what these tools may touch"));
  });

  test.each([
    ["a\0b", "NUL"],
    ["", "is empty"],
    ["a\nb", "control characters"],
    ["x".repeat(256), "longer than 255 bytes"],
    ["é".repeat(128), "longer than 255 bytes"],
    ["a/".repeat(2100), "longer than 4096 bytes"],
    ["~/x", "home folder"],
    ["~root/x", "home folder"],
    ["file:///etc/passwd", "is a URL"],
    ["..\\..\\etc\\passwd", "divided by"],
    ["\ud800", "half a character"],
  ])("%j is no path", async (path, problem) => {
    await expect(read(path)).rejects.toEqual(failing("validation", problem));
  });

  test("a link is followed inside the root and not out of it, wherever it is on the way", async () => {
    symlinkSync("sub/a.txt", join(root, "in"));
    symlinkSync("../outside/secret.txt", join(root, "out"));
    symlinkSync("../outside", join(root, "outdir"));
    symlinkSync("out", join(root, "hop"));
    symlinkSync("/proc/self", join(root, "proc"));
    expect(await read("in")).toBe("inside");
    for (const path of ["out", "outdir/secret.txt", "hop", "proc/environ"])
      await expect(read(path)).rejects.toEqual(failing("denied", "leads to nothing in the roots"));
  });

  test("whether there is something outside does not show", async () => {
    symlinkSync("../outside", join(root, "outdir"));
    symlinkSync("../outside/nothing", join(root, "dangling"));
    for (const path of ["outdir/nothing", "dangling", "outdir/secret.txt/x"])
      await expect(read(path)).rejects.toEqual(failing("denied", "leads to nothing in the roots"));
    await expect(read("sub/nothing")).rejects.toEqual(failing("validation", "There is no"));
  });

  test("pipes, sockets, devices and folders are named and not opened", async () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    const server = createServer().listen(join(root, "socket"));
    try {
      await expect(read("pipe")).rejects.toEqual(failing("denied", "is a pipe"));
      await expect(read("socket")).rejects.toEqual(failing("denied", "is a socket"));
      await expect(read("sub")).rejects.toEqual(failing("validation", "is a folder"));
    } finally {
      server.close();
    }
    roots = Roots.of("/");
    for (const path of ["/dev/zero", "/proc/self/environ", "/sys/kernel/uevent_seqnum"])
      await expect(read(path)).rejects.toEqual(failing("denied", "outside"));
  });

  test("files are counted by the root they are in; relative paths begin at the first", async () => {
    roots = Roots.of([root, join(base, "outside")]);
    expect(await read(join(base, "outside/secret.txt"))).toBe("secret");
    await expect(read("secret.txt")).rejects.toEqual(failing("validation", "There is no"));
  });
});

describe("folders", () => {
  test("stay the same one when their path becomes a link", async () => {
    const folder = await openFolder(roots, "sub");
    await rename(join(root, "sub"), join(root, "was"));
    symlinkSync("../outside", join(root, "sub"));
    const { readdir } = await import("node:fs/promises");
    expect(await readdir(folder.at())).toContain("a.txt");
    expect(() => folder.confirm()).toThrow("was moved");
    await folder.close();
  });

  test("a link out of the root is no folder of it", async () => {
    symlinkSync("../outside", join(root, "outdir"));
    await expect(openFolder(roots, "outdir")).rejects.toEqual(
      failing("denied", "leads to nothing in the roots"),
    );
  });
});

describe("entries", () => {
  test("are found in their real folder, which is made where that is asked for", async () => {
    symlinkSync("sub", join(root, "link"));
    expect(await entry("link/new.txt")).toBe(join(root, "sub/new.txt"));
    expect(await entry("one/two/new.txt", { make: true })).toBe(join(root, "one/two/new.txt"));
    await expect(entry("no/new.txt")).rejects.toEqual(failing("validation", "There is no"));
  });

  test("a link is the entry itself, or followed where that is asked for", async () => {
    symlinkSync("sub/a.txt", join(root, "in"));
    expect(await entry("in")).toBe(join(root, "in"));
    expect(await entry("in", { follow: true })).toBe(join(root, "sub/a.txt"));
  });

  test("nothing outside is an entry, and neither is a root", async () => {
    symlinkSync("../outside", join(root, "outdir"));
    symlinkSync("../outside/new", join(root, "dangling"));
    symlinkSync("../outside/newdir", join(root, "danglingdir"));
    symlinkSync(".", join(root, "self"));
    for (const path of ["outdir/x", "../outside/x", "outdir", "danglingdir/x", "danglingdir/x/y"])
      await expect(entry(path, { make: true, follow: true })).rejects.toEqual(failing("denied", "outside"));
    await expect(entry("dangling", { follow: true })).rejects.toEqual(failing("denied", "outside"));
    for (const path of [".", "self", root])
      await expect(entry(path, { follow: true })).rejects.toEqual(failing("denied", "root itself"));
  });

  test.each(["a\u200bb/x", "\uff0e\uff0e/x", "a\u202e/x"])("no folder is made as %j", async (path) => {
    await expect(entry(path, { make: true })).rejects.toEqual(failing("validation", "holds"));
  });

  test("a hard link is a file like any other", async () => {
    linkSync(join(base, "outside/secret.txt"), join(root, "hard"));
    expect(await entry("hard", { follow: true })).toBe(join(root, "hard"));
  });
});

/** A process for which the outside is at the root's path, as for one in a container. Undefined where that is not allowed. */
async function elsewhere(): Promise<ChildProcess | undefined> {
  const script = 'mount --bind "$1" "$2" && echo ready && exec sleep 60';
  const child = spawn("unshare", ["-m", "sh", "-c", script, "sh", join(base, "outside"), root], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const said = await new Promise<string>((resolve) => {
    child.on("error", () => resolve(""));
    child.on("close", () => resolve(""));
    child.stdout.on("data", (chunk: Buffer) => resolve(chunk.toString()));
  });
  return said === "ready\n" ? child : undefined;
}

test("a link into another mount namespace, where the same path is another file, is not followed", async (on) => {
  const child = await elsewhere();
  if (child === undefined) return on.skip();
  try {
    symlinkSync(`/proc/${child.pid}/root${root}`, join(root, "peek"));
    await expect(read("peek/secret.txt")).rejects.toEqual(failing("denied", ""));
    await expect(openFolder(roots, "peek")).rejects.toEqual(failing("denied", ""));
  } finally {
    child.kill("SIGKILL");
  }
});

test("a file that is replaced all the time can be read", async () => {
  let over = false;
  const writing = (async () => {
    while (!over) {
      writeFileSync(join(root, "new"), "inside");
      await rename(join(root, "new"), join(root, "sub/a.txt"));
    }
  })();
  try {
    for (let round = 0; round < 100; round++) expect(await read("sub/a.txt")).toBe("inside");
  } finally {
    over = true;
    await writing;
  }
});

test.each([
  ["no such folder", "/nowhere/at/all"],
  ["a file", import.meta.filename],
  ["no folder", []],
  ["no text", [7]],
])("%s is no root", (_, given) => {
  expect(() => Roots.of(given as string)).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
});
