import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { placesOf, writePages } from "./pages.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "toolrig-pages-"));
  put("apps/console/src/icon.svg", "<svg/>");
  put("site/home.md", "[Guards](../docs/guards.md)");
  put("README.md", "# Toolrig\n\n![Run](docs/images/run.png)\n");
  put("docs/guards.md", "# Guards\n");
  put("docs/images/run.png", "png");
});

afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function written(place: string): string {
  writePages(root, join(root, "pages"));
  return readFileSync(join(root, "pages", place), "utf8");
}

test("pages have their places: the first page, the README, folders", () => {
  put("CONTRIBUTING.md", "# Contributing\n");
  put("docs/guides/README.md", "# Guides\n");
  put("examples/README.md", "# Examples\n");
  expect(placesOf(root).sort()).toEqual(
    [
      "index.md",
      "overview.md",
      "contributing.md",
      "guards.md",
      "guides/index.md",
      "examples/index.md",
    ].sort(),
  );
  expect(written("index.md")).toBe("[Guards](./guards.md)");
  expect(written("overview.md")).toContain("![Run](/images/run.png)");
});

test.each([
  ["a page", "[rules](guards.md#policy)", "[rules](./guards.md#policy)"],
  [
    "a page by the name of its file",
    "[docs/guards.md](guards.md) [`guards.md`](guards.md)",
    "[Guards](./guards.md) [Guards](./guards.md)",
  ],
  ["the README", "[promises](../README.md#promises)", "[promises](./overview.md#promises)"],
  ["a folder with a README", "[guides](guides/)", "[guides](./guides/index.md)"],
  [
    "a file that is shown",
    "[dashboard](observability/grafana.json)",
    "[dashboard](/observability/grafana.json)",
  ],
  ["a source", "[the codes](../packages/codes.ts)", "the codes (`packages/codes.ts`)"],
  ["a folder by its name", "[`examples/python`](../examples/python/)", "`examples/python/`"],
  ["another site", "[zod](https://zod.dev/a.md)", "[zod](https://zod.dev/a.md)"],
  ["a heading of its own", "[below](#below)", "[below](#below)"],
])("a link to %s holds on the site", (_, link, expected) => {
  put("docs/guides/README.md", "# Guides\n");
  put("docs/observability/grafana.json", "{}");
  put("packages/codes.ts", "");
  put("examples/python/worker.py", "");
  put("docs/page.md", link);
  expect(written("page.md")).toBe(expected);
});

test("what stands in code is no link", () => {
  const text =
    "Write `[a](gone.md)`.\n\n```md\n[b](gone.md)\n```\n\n- so:\n\n  ```md\n  [c](gone.md)\n  ```\n";
  put("docs/page.md", text);
  expect(written("page.md")).toBe(text);
});

test("a link to nothing and two pages in one place are refused by name", () => {
  put("docs/page.md", "[a](gone.md)");
  expect(() => written("page.md")).toThrow("docs/page.md links to gone.md, which is not there.");
  put("docs/page.md", "");
  put("docs/overview.md", "");
  expect(() => written("page.md")).toThrow("docs/overview.md and another page are both overview.md");
});

test("a page that is gone goes, and one that has not changed is not touched", () => {
  put("docs/page.md", "# Page\n");
  written("page.md");
  rmSync(join(root, "docs/page.md"));
  const before = statSync(join(root, "pages/guards.md")).mtimeMs;
  expect(() => written("page.md")).toThrow("ENOENT");
  expect(statSync(join(root, "pages/guards.md")).mtimeMs).toBe(before);
});
