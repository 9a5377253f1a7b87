import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPAIR_KINDS } from "@toolrig/json";
import { expect, test } from "vitest";

test("the page lists every kind of repair", () => {
  const page = readFileSync(join(import.meta.dirname, "repair.md"), "utf8");
  expect(REPAIR_KINDS.filter((kind) => !page.includes(`\`${kind}\``))).toEqual([]);
});
