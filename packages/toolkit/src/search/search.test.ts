import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { growth, LINEAR } from "../../../../scripts/growth.ts";
import { type Scene, scene } from "../../test/scene.ts";
import { openFolder } from "../confine/folder.ts";
import { Roots } from "../confine/roots.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { pathMatcher } from "./path-pattern.ts";
import { compilePattern } from "./pattern.ts";
import { rgPattern } from "./rg-pattern.ts";
import { findRipgrep } from "./ripgrep.ts";
import { walk } from "./walk.ts";

let here: Scene;
beforeEach(() => {
  here = scene({
    "a.ts": "const a = 1;\n// TODO: one\nlet b;\n",
    "a/b.ts": "// todo\n",
    "a.md": "# TODO\r\ntext\r\n",
    "src/deep/x.tsx": "x\ny\nTODO\nz\nw\n",
    ".github/ci.yml": "TODO\n",
    "node_modules/m/index.js": "TODO\n",
    ".git/config": "TODO\n",
    "bin.dat": "TODO\0\n",
  });
  symlinkSync("../outside", join(here.root, "outdir"));
  symlinkSync("a.ts", join(here.root, "link.ts"));
  writeFileSync(join(here.outside, "more.txt"), "TODO outside\n");
  here.use(glob({ roots: here.root }), grep({ roots: here.root, ripgrep: false }));
});

describe("glob", () => {
  test.each([
    ["*.ts", ["a.ts", "a/b.ts"]],
    ["**/*.{ts,tsx}", ["a.ts", "a/b.ts", "src/deep/x.tsx"]],
    ["./*.ts", ["a.ts"]],
    ["src/**", ["src/deep/x.tsx"]],
    ["**", [".github/ci.yml", "a.md", "a.ts", "a/b.ts", "bin.dat", "src/deep/x.tsx"]],
    ["a.??", ["a.md", "a.ts"]],
    ["a.[!m]*", ["a.ts"]],
    ["*/*.ts", ["a/b.ts"]],
    ["nothing", []],
    ["./a[.-0]b.ts", []],
    ["./a[+-z]b.ts", []],
    ["src[/]deep/*", []],
    ["./a[--.]t[r-t]", ["a.ts"]],
  ])("%s", async (pattern, paths) => {
    expect(await here.value("glob", { pattern })).toEqual({ paths, more: false });
  });

  test("looks where it is told to, and says when there is more", async () => {
    expect(await here.value("glob", { pattern: "**", path: "src" })).toEqual({
      paths: ["src/deep/x.tsx"],
      more: false,
    });
    expect(await here.text("glob", { pattern: "*.ts", limit: 1 })).toBe(
      'The first 1 file; there are more, go on with {"skip":1}:\na.ts',
    );
    expect(await here.text("glob", { pattern: "*.ts", skip: 1 })).toBe("After the first 1: 1 file:\na/b.ts");
    expect(await here.value("glob", { pattern: "**/config", all: true })).toMatchObject({
      paths: [".git/config"],
    });
    for (const pattern of ["../*", "/etc/*", "a/../../*", ""])
      expect((await here.refusal("glob", { pattern })).kind).toBe("validation");
    expect((await here.refusal("glob", { pattern: "*", path: "outdir" })).kind).toBe("denied");
  });

  test.runIf(process.getuid?.() !== 0)("names folders that it could not look into", async () => {
    mkdirSync(join(here.root, "closed"));
    chmodSync(join(here.root, "closed"), 0);
    expect(await here.value("glob", { pattern: "*.ts" })).toMatchObject({ unread: ["closed"] });
    chmodSync(join(here.root, "closed"), 0o700);
  });

  test("a pattern that would take others for ever takes no time", () => {
    const matches = pathMatcher(`${"*a".repeat(200)}b`);
    expect(matches("", "a".repeat(50_000))).toBe(false);
    expect(growth(2_000, (size) => matches("", "a".repeat(size)))).toBeLessThan(LINEAR);
  });
});

describe("grep", () => {
  test("shows lines as grep does", async () => {
    expect(await here.text("grep", { pattern: "TODO" })).toBe(
      [
        "4 lines:",
        ".github/ci.yml:1:TODO",
        "a.md:1:# TODO",
        "a.ts:2:// TODO: one",
        "src/deep/x.tsx:3:TODO",
      ].join("\n"),
    );
    expect(await here.text("grep", { pattern: "nowhere" })).toBe('Nothing matches "nowhere".');
  });

  test("shows what is beside, files, and how many", async () => {
    expect(await here.text("grep", { pattern: "TODO|let", context: 1, files: "*.{ts,tsx}" })).toBe(
      [
        "3 lines:",
        "a.ts-1-const a = 1;",
        "a.ts:2:// TODO: one",
        "a.ts:3:let b;",
        "--",
        "src/deep/x.tsx-2-y",
        "src/deep/x.tsx:3:TODO",
        "src/deep/x.tsx-4-z",
      ].join("\n"),
    );
    expect(await here.text("grep", { pattern: "todo", mode: "files", ignoreCase: true, files: "*.ts" })).toBe(
      "2 files:\na.ts\na/b.ts",
    );
    expect(await here.value("grep", { pattern: ".", mode: "count", path: "src" })).toEqual({
      engine: "builtin",
      files: [{ path: "src/deep/x.tsx", count: 5 }],
      more: false,
    });
    expect(await here.value("grep", { pattern: "TODO", limit: 2, output: "json" })).toMatchObject({
      more: true,
    });
    expect(await here.value("grep", { pattern: "TODO", path: "node_modules" })).toMatchObject({
      lines: [{ path: "node_modules/m/index.js" }],
    });
  });

  test("goes on where an answer ended, without a gap and without a repetition", async () => {
    for (const mode of ["lines", "files", "count"]) {
      const whole = await here.value<Record<string, unknown[]>>("grep", { pattern: ".", mode });
      const found: unknown[] = [];
      for (let next: { skip: number } | undefined = { skip: 0 }; next !== undefined; ) {
        const page: Record<string, unknown> = await here.value("grep", {
          pattern: ".",
          mode,
          limit: 3,
          ...next,
        });
        found.push(...((page.lines ?? page.files) as unknown[]));
        next = page.next as typeof next;
      }
      expect(found).toEqual(whole.lines ?? whole.files);
    }
  });

  test("an expression that asks for the end of a line is refused, and not answered with nothing", async () => {
    for (const pattern of [String.raw`one\nlet`, "a\nb", String.raw`[ab]\n`])
      expect((await here.refusal("grep", { pattern })).message).toContain("one by one");
    for (const pattern of [String.raw`TODO[^\n]*`, String.raw`\\nowhere`])
      expect(await here.value("grep", { pattern })).toHaveProperty("lines");
  });

  test("searches one file, and nothing outside", async () => {
    expect(await here.text("grep", { pattern: "b", path: "a.ts" })).toBe("1 line:\na.ts:3:let b;");
    for (const path of ["outdir", "outdir/more.txt", "../outside"])
      expect((await here.refusal("grep", { pattern: "x", path })).kind).toBe("denied");
  });

  test("refuses what cannot be run in linear time", async () => {
    for (const pattern of ["(?=x)", String.raw`(a)\1`, "(", "a{1000}{1000}", "x".repeat(1_001), ""])
      expect((await here.refusal("grep", { pattern })).kind).toBe("validation");
    expect(await here.value("grep", { pattern: "(", fixed: true })).toMatchObject({ lines: [] });
  });

  test("an expression that would take others for ever takes no time", async () => {
    here.put("long.txt", `${"a".repeat(1_000_000)}\n${"ab\n".repeat(100_000)}`);
    for (const pattern of ["^(a+)+$", "(a|aa)*b$", "(.*)*x"])
      await here.value("grep", { pattern, path: "long.txt" });
  });

  test("a line that is too long to tell is counted, and a long one shortened", async () => {
    here.put("long.txt", `TODO ${"x".repeat(5_000_000)}\nTODO ${"y".repeat(1_000)}\n`);
    const answer = await here.value<{ lines: { text: string }[]; tooLong: number }>("grep", {
      pattern: "TODO",
      path: "long.txt",
    });
    expect(answer.tooLong).toBe(1);
    expect(answer.lines.map(({ text }) => text.length)).toEqual([501]);
  });
});

test("grep and glob of the whole machine pass by what is the kernel's own", async () => {
  const roots = Roots.of("/");
  expect([roots.hasKernelBelow("/"), roots.hasKernelBelow("/usr")]).toEqual([true, false]);
  const entered: string[] = [];
  const folder = await openFolder(roots, "/");
  const top = new Set(readdirSync("/").filter((name) => !["proc", "sys", "dev"].includes(name)));
  for await (const { prefix } of walk(roots, folder, { skip: top, signal: AbortSignal.timeout(60_000) }))
    if (prefix !== "") entered.push(prefix);
  await folder.close();
  expect(entered).toEqual([]);
});

test("what could hide in names and lines is spelt out", async () => {
  here.put("tag\u{e0041}.txt", "here\u200b\u{e0041}\n");
  expect(await here.text("glob", { pattern: "tag*" })).toContain(String.raw`tag\u{e0041}.txt`);
  expect(await here.text("grep", { pattern: "here" })).toContain(
    String.raw`tag\u{e0041}.txt:1:here\u{200b}\u{e0041}`,
  );
});

test("the first line of a file with a mark is found", async () => {
  here.put("marked.txt", "\ufeffimport a\n");
  expect(await here.value("grep", { pattern: "^import" })).toMatchObject({
    lines: [{ path: "marked.txt", line: 1, text: "import a" }],
  });
});

test("folders that are too deep to be looked into are named", async () => {
  mkdirSync(join(here.root, "d/".repeat(210)), { recursive: true });
  const answer = await here.value<{ unread: string[] }>("grep", { pattern: "TODO" });
  expect(answer.unread).toEqual(["d/".repeat(200).slice(0, -1)]);
  expect(await here.text("grep", { pattern: "nowhere" })).toContain("Could not be looked into: d/d/d");
});

test("a file whose name is not UTF-8 is named as one that could not be looked into", async () => {
  writeFileSync(Buffer.concat([Buffer.from(join(here.root, "bad-")), Buffer.from([0xff])]), "TODO\n");
  expect(await here.value("grep", { pattern: "TODO" })).toMatchObject({ unread: ["bad-\ufffd"] });
});

/** A program in the place of ripgrep that names the files which it is told to. */
function naming(...paths: string[]): string {
  const file = join(here.outside, "rg");
  writeFileSync(file, `#!/bin/sh\nprintf '${paths.map((path) => `./${path}\\0`).join("")}'\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Waits until the folders have not changed for so long that ripgrep is believed. */
async function settled(args: Record<string, unknown>) {
  const search = () => here.value<{ engine: string }>("grep", args);
  await expect.poll(async () => (await search()).engine).toBe("ripgrep");
  return search();
}

test("what only ripgrep saw does not show: neither as a file nor as one that could not be read", async () => {
  here.put("d/inside.txt", "pin=7\n");
  here.use(
    grep({ roots: here.root, ripgrep: naming("d/credentials", "outdir/more.txt", "link.ts", "a.ts") }),
  );
  expect(await settled({ pattern: "TODO|pin" })).toEqual({
    engine: "ripgrep",
    lines: [{ path: "a.ts", line: 2, text: "// TODO: one" }],
    more: false,
  });
});

test("what ripgrep did not name does not show either, while a folder is swapped for a link", async () => {
  // ripgrep read "d" when it led outside, found nothing there, and so names nothing.
  const swapping = join(here.outside, "swap");
  here.put("d/pin.txt", "pin=1 pin=2\n");
  writeFileSync(swapping, "#!/bin/sh\nmv d aside; ln -s ../outside d; rm d; mv aside d\nexit 1\n");
  chmodSync(swapping, 0o755);
  const without = await here.value<object>("grep", { pattern: "pin" });
  here.use(grep({ roots: here.root, ripgrep: naming() }));
  await settled({ pattern: "pin" });
  here.use(grep({ roots: here.root, ripgrep: swapping }));
  expect(await here.value("grep", { pattern: "pin" })).toEqual(without);
});

test.runIf(process.getuid?.() !== 0)("files that cannot be read are named", async () => {
  chmodSync(join(here.root, "a.ts"), 0);
  expect(await here.value("grep", { pattern: "TODO" })).toMatchObject({ unread: ["a.ts"] });
});

const rg = findRipgrep(Roots.of(import.meta.dirname));

describe.skipIf(rg === undefined)("ripgrep only narrows down where to look", () => {
  test.each([
    [{ pattern: "TODO" }],
    [{ pattern: "todo", ignoreCase: true, context: 1 }],
    [{ pattern: String.raw`\bTODO$` }],
    [{ pattern: "[[TO]+DO" }],
    [{ pattern: String.raw`^\w+$` }],
    [{ pattern: String.raw`\S\s\W\d|\pL{3}` }],
    [{ pattern: "x|z", mode: "count" }],
    [{ pattern: "(1", fixed: true }],
    [{ pattern: "TODO", all: true, mode: "files" }],
    [{ pattern: "é", path: "utf.txt" }],
    [{ pattern: ".", limit: 3 }],
    [{ pattern: String.raw`\QTODO\E` }],
    [{ pattern: "T{,2}" }],
    [{ pattern: "^import" }],
    [{ pattern: "a.b$" }],
    [{ pattern: "^$", mode: "count" }],
    [{ pattern: "TODO$|x$" }],
    [{ pattern: String.raw`\Aab\z` }],
    [{ pattern: "(?-m)^TODO$" }],
  ])("%j has the same answer", async (args) => {
    here.put("utf.txt", "café\nÉCOLE é\n\u0661\u0662\n");
    here.put("a\nb.txt", "TODO\n");
    here.put("~/a\\b.txt", "TODO\n");
    here.put("~/x.txt", "TODO\n");
    here.put("crlf.txt", "one TODO\r\nTODO\r\n\r\n");
    here.put("cr.txt", "a\rb\nx\ry\n");
    here.put("marked.txt", "\ufeffimport a\nimport b\n");
    here.put("lines.txt", "x\nab\ny\n");
    const without = await here.call("grep", args);
    here.use(grep({ roots: here.root }));
    if (args.pattern === "TODO") await settled(args);
    const with_ = await here.call("grep", args);
    expect({ ...(with_.value as object), engine: "" }).toEqual({ ...(without.value as object), engine: "" });
    expect(with_.content).toEqual(without.content);
  });

  test("finds what is in a second root", async () => {
    writeFileSync(join(here.outside, "other.txt"), "TODO other\n");
    for (const ripgrep of [undefined, false] as const) {
      here.use(grep({ roots: [here.root, here.outside], ...(ripgrep === false && { ripgrep }) }));
      const args = { pattern: "other", path: here.outside };
      expect(ripgrep === false ? await here.value("grep", args) : await settled(args)).toMatchObject({
        engine: ripgrep === false ? "builtin" : "ripgrep",
        lines: [{ path: join(here.outside, "other.txt"), line: 1 }],
      });
    }
  });

  test("which of them it was is said", async () => {
    here.use(grep({ roots: here.root }));
    expect(await settled({ pattern: "TODO" })).toMatchObject({ engine: "ripgrep" });
  });

  test("one that lies in a root is not run", () => {
    here.put("bin/rg", "#!/bin/sh\necho owned\n");
    chmodSync(join(here.root, "bin/rg"), 0o755);
    const roots = Roots.of(here.root);
    expect(findRipgrep(roots, join(here.root, "bin"))).toBeUndefined();
    expect(findRipgrep(roots, "bin:.")).toBeUndefined();
  });
});

test("what is in no line is told of the whole text as of each line", () => {
  const sources = ["a", "^a", "b$", "^$", "a.b", "a|b", "[^a]", "^a*$", "\\bb", "(?i)A"];
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r", " ", "é") });
  fc.assert(
    fc.property(fc.constantFrom(...sources), text, (source, whole) => {
      const pattern = compilePattern(source, { fixed: false, ignoreCase: false });
      const inLines = whole.split("\n").some((line) => pattern.test(line.replace(/\r$/, "")) === true);
      expect(pattern.mayOccur(Buffer.from(whole)) || !inLines).toBe(true);
    }),
  );
});

test("an expression that ripgrep reads otherwise is put in its words, or not given to it", () => {
  expect(rgPattern(String.raw`\d[\w-]\b[[&&a]`)).toBe(String.raw`[0-9][0-9A-Za-z_-](?-u:\b)[\[\&\&a]`);
  for (const source of [
    String.raw`\Qa\E`,
    String.raw`[\D]`,
    "[a--b]",
    String.raw`\C`,
    String.raw`\Aa`,
    String.raw`a\z`,
    "(?i-m)a",
  ])
    expect(rgPattern(source)).toBeUndefined();
});
