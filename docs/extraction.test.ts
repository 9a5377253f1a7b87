import { readFileSync } from "node:fs";
import { join } from "node:path";
import { families } from "@toolrig/extract";
import { expect, test } from "vitest";

test("the page lists every family", () => {
  const page = readFileSync(join(import.meta.dirname, "extraction.md"), "utf8");
  const listed = [...page.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, name, title]) => ({
    name,
    title,
  }));
  expect(listed).toEqual(families.map(({ name, title }) => ({ name, title })));
});
