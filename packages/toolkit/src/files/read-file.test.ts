import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type Scene, scene } from "../../test/scene.ts";
import { readFile } from "./read-file.ts";

let here: Scene;
beforeEach(() => {
  here = scene({ "a.txt": "one\ntwo\nthree\nfour\n" });
  here.use(readFile({ roots: here.root }));
});

const read = (args: Record<string, unknown>) =>
  here.value<{ text: string; next?: object }>("read_file", args);

describe("lines", () => {
  test.each([
    [{}, "one\ntwo\nthree\nfour\n", undefined],
    [{ line: 2, lines: 2 }, "two\nthree\n", { line: 4 }],
    [{ line: 4 }, "four\n", undefined],
    [{ line: 9 }, "", undefined],
    [{ line: -2 }, "three\nfour\n", undefined],
    [{ line: -99 }, "one\ntwo\nthree\nfour\n", undefined],
    [{ bytes: 16 }, "one\ntwo\nthree\n", { line: 4 }],
  ])("%j", async (asked, text, next) => {
    const page = await read({ path: "a.txt", ...asked });
    expect({ text: page.text, next: page.next }).toEqual({ text, next });
  });

  test.each([
    ["UTF-8", (text: string) => Buffer.from(text)],
    ["UTF-16", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le")],
  ])(
    "pages as a model is shown them make up the file, and none is cut by the executor: %s",
    async (_, bytes) => {
      const text = Array.from({ length: 1_500 }, (_, at) => `${at} héllo ${"日本".repeat(at % 20)}\n`).join(
        "",
      );
      here.put("long.txt", bytes(`${text}${"x".repeat(120_000)}\nend\n`));
      let whole = "";
      let pages = 0;
      for (let next: object | undefined = {}; next !== undefined; pages++) {
        const { content, artifact } = await here.call("read_file", { path: "long.txt", ...next });
        expect(artifact).toBeUndefined();
        const [page, note] = content.map((part) => (part.type === "text" ? part.text : ""));
        whole += page;
        const go = /go on with (\{.*\})/.exec(note ?? "")?.[1];
        next = go === undefined ? undefined : JSON.parse(go);
      }
      expect(whole).toBe(`${text}${"x".repeat(120_000)}\nend\n`);
      expect(pages).toBeGreaterThan(3);
    },
  );

  test("the end of a file as a model is shown it is its last lines", async () => {
    here.put("log.txt", Array.from({ length: 20_000 }, (_, at) => `line ${at}\n`).join(""));
    const { content, artifact } = await here.call("read_file", { path: "log.txt", line: -15_000 });
    expect(artifact).toBeUndefined();
    const [page = "", note = ""] = content.map((part) => (part.type === "text" ? part.text : ""));
    expect(page).toMatch(/^line \d+\n(?:line \d+\n)+$/);
    expect(page.endsWith("line 19999\n")).toBe(true);
    const from = Number(/from byte (\d+) of \d+; to the end/.exec(note)?.[1]);
    expect(here.get("log.txt").slice(from)).toBe(page);
  });

  test("pages that follow each other make up the file, whatever their size", async () => {
    const text = Array.from({ length: 3_000 }, (_, at) => `${at} héllo 🎈 ${"x".repeat(at % 90)}\n`).join("");
    here.put("long.txt", text);
    for (const size of [{ lines: 7, bytes: 64 }, { lines: 1_000 }, { bytes: 4_097 }]) {
      let whole = "";
      for (let next: object | undefined = { line: 1 }; next !== undefined; ) {
        const page: { text: string; next?: object } = await read({ path: "long.txt", ...size, ...next });
        whole += page.text;
        next = page.next;
      }
      expect(whole).toBe(text);
    }
  });

  test("the model is told how to go on", async () => {
    expect(await here.text("read_file", { path: "a.txt", lines: 2 })).toBe(
      'one\ntwo\n\n[lines 1 to 2; go on with {"line":3}]',
    );
    here.put("empty", "");
    expect(await here.text("read_file", { path: "empty" })).toContain("[the file is empty]");
  });
});

test("the end of a large file is read without the rest", async () => {
  const fd = openSync(join(here.root, "huge.log"), "w");
  ftruncateSync(fd, 1_000_000_000);
  writeSync(fd, "first\n", 0);
  writeSync(fd, "\nlast but one\nlast\n", 999_999_981);
  closeSync(fd);
  const asked = { path: "huge.log", line: -2, encoding: "utf-8" };
  const result = await here.call("read_file", asked);
  expect(result.value).toMatchObject({ text: "last but one\nlast\n", size: 1_000_000_000 });
  expect((result.details as { bytesRead: number }).bytesRead).toBeLessThan(200_000);
  expect((await read({ path: "huge.log", offset: -5, encoding: "utf-8" })).text).toBe("last\n");
});

describe("encodings", () => {
  const text = "héllo\r\n🎈 zwei\n";
  const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");
  test.each([
    ["UTF-8", Buffer.from(text)],
    ["UTF-8 with its mark", Buffer.from(`\ufeff${text}`)],
    ["UTF-16, little end first", utf16],
    ["UTF-16, big end first", Buffer.from(utf16).swap16()],
  ])("%s", async (_, bytes) => {
    here.put("x", bytes);
    expect((await read({ path: "x" })).text).toBe(text);
    expect((await read({ path: "x", line: 2 })).text).toBe("🎈 zwei\n");
    expect((await read({ path: "x", line: -1 })).text).toBe("🎈 zwei\n");
    expect((await read({ path: "x", lines: 1 })).text).toBe("héllo\r\n");
  });

  test.each(["utf16le", "utf16be"])(
    "pages of %s do not cut pairs in two, and come to an end",
    async (end) => {
      const whole = Buffer.from(`\ufeffx${"😀".repeat(50)}`, "utf16le");
      here.put("x", Buffer.concat([end === "utf16be" ? whole.swap16() : whole, Buffer.from([0x41])]));
      let [text, asked]: [string, object | undefined] = ["", { offset: 0 }];
      for (let pages = 0; asked !== undefined && pages < 100; pages++) {
        const page: { text: string; next?: object } = await read({ path: "x", bytes: 18, ...asked });
        [text, asked] = [text + page.text, page.next];
      }
      expect(asked).toBeUndefined();
      expect(text).toBe(`x${"😀".repeat(50)}\ufffd`);
      expect((await read({ path: "x", offset: -7 })).text.isWellFormed()).toBe(true);
      expect((await read({ path: "x", line: -1, bytes: 18 })).text).not.toContain("\ufffd");
    },
  );

  test("pages of what is not UTF-8 leave no byte out", async () => {
    here.put("x", Buffer.alloc(200, 0x80));
    let [text, asked]: [string, object | undefined] = ["", { offset: 0 }];
    for (let pages = 0; asked !== undefined && pages < 100; pages++) {
      const page: { text: string; next?: object } = await read({ path: "x", bytes: 20, ...asked });
      [text, asked] = [text + page.text, page.next];
    }
    expect(text).toBe("\ufffd".repeat(200));
  });

  test("Latin-1 where it is asked for, and a hint where it seems to be that", async () => {
    here.put("x", Buffer.from("caf\xe9", "latin1"));
    expect((await read({ path: "x", encoding: "latin1" })).text).toBe("café");
    expect(await here.text("read_file", { path: "x" })).toContain('"latin1" shows every byte');
  });

  test("binary files are named as what they are", async () => {
    here.put("x", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]));
    const { message } = await here.refusal("read_file", { path: "x" });
    expect(message).toContain('"x" is binary (7 bytes)');
    expect((await read({ path: "x", encoding: "latin1" })).text).toBe("\x7fELF\0\0\x01");
  });
});

test.each([
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]],
  ["image/jpeg", [0xff, 0xd8, 0xff, 0xe0, 0]],
  ["image/gif", [...Buffer.from("GIF89a\0")]],
  ["image/webp", [...Buffer.from("RIFF\0\0\0\0WEBP\0")]],
])("%s is shown", async (mimeType, bytes) => {
  here.put("picture", Uint8Array.from(bytes));
  const { content } = await here.call("read_file", { path: "picture" });
  expect(content[1]).toEqual({ type: "image", mimeType, data: Buffer.from(bytes).toString("base64") });
});

test("what is in files is labelled as anybody's word and nobody else's business, unless the program says otherwise", async () => {
  expect(readFile({ roots: here.root }).labels).toEqual({
    integrity: "untrusted",
    confidentiality: "private",
    source: "files",
  });
  expect(readFile({ roots: here.root, labels: { integrity: "trusted" } }).labels?.integrity).toBe("trusted");
});

test("misspelt options and arguments are refused", async () => {
  expect(() => readFile({ roots: here.root, label: {} } as never)).toThrow('Unknown option "label"');
  expect(() => readFile({ roots: here.root, output: "xml" } as never)).toThrow('"labeled" or "json"');
  expect((await here.refusal("read_file", { path: "a.txt", line: 1, offset: 2 })).kind).toBe("validation");
  expect((await here.refusal("read_file", { path: "a.txt", start: 2 })).kind).toBe("validation");
  expect((await here.refusal("read_file", { path: "../outside/secret.txt" })).kind).toBe("denied");
});
