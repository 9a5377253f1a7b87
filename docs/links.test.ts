/** Links between pages hold on the repository: the file is there, and so is the heading. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { CHAPTERS } from "../site/chapters.ts";
import { pagesOf } from "./snippets.ts";

const root = join(import.meta.dirname, "..");
const pages = pagesOf(root);

test.each(pages)("%s links to what is there", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const targets = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target);
  expect(targets.filter((target) => !/^https?:/.test(target) && !isThere(page, target))).toEqual([]);
});

test("every page of the documentation is in a chapter, once", () => {
  const listed = CHAPTERS.flatMap(({ pages: each }) => each.map(([file]) => `docs/${file}`))
    .filter((file) => file !== "docs/" && !file.startsWith("docs/reference/"))
    .map((file) => (file.endsWith("/") ? `${file}README.md` : `${file}.md`));
  expect(listed.sort()).toEqual(pages.filter((page) => page.startsWith("docs/")));
});

function isThere(page: string, target: string): boolean {
  const [path = "", heading] = target.split("#");
  const file = join(root, path === "" ? page : join(dirname(page), path));
  return existsSync(file) && (heading === undefined || headingsOf(file).includes(heading));
}

/** As the repository's site names them. */
function headingsOf(file: string): string[] {
  const titles = readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm);
  return Array.from(titles, ([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
