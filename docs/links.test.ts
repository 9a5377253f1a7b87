import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { proofNames } from "../proofs/proof-names.ts";
import { placesOf } from "../scripts/site/pages.ts";
import { CHAPTERS } from "../site/chapters.ts";
import { deadLinks } from "./links.ts";
import { pagesOf } from "./snippets.ts";

const root = join(import.meta.dirname, "..");
const pages = pagesOf(root);

test.each(pages)("%s links to what is there", (page) => {
  expect(deadLinks(root, page)).toEqual([]);
});

test.each(pages)("%s names proofs and files of packages that are there", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const proofs = Array.from(text.matchAll(/npm run prove ([a-z][a-z-]*)/g), ([, name = ""]) => name);
  const files = Array.from(text.matchAll(/`(packages\/[\w/.-]+)`/g), ([, file = ""]) => file);
  expect(proofs.filter((name) => !proofNames().includes(name))).toEqual([]);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("a file or a heading that is not there is found", () => {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-links-"));
  const links =
    "[a](b.md) [b](#what-is-it) [c](#gone) [d](a.md#gone) [e](a.md) [f](https://example.com/gone)";
  writeFileSync(join(folder, "a.md"), `# What is it?\n\n${links}\n`);
  expect(deadLinks(folder, "a.md")).toEqual(["b.md", "#gone", "a.md#gone"]);
  rmSync(folder, { recursive: true });
});

test("every page of the website is in a chapter, once", () => {
  const listed = CHAPTERS.flatMap(({ pages: each }) => each.map(([address]) => address));
  const written = placesOf(root)
    .map((place) => place.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, ""))
    .filter((address) => address !== "" && !/^reference\/./.test(address));
  expect(listed.sort()).toEqual(written.sort());
});
