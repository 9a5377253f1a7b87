import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PAGE, tables, tablesIn } from "../../../../scripts/peer-fields.ts";

test("the page about fields has the tables that the adapters read; `node scripts/peer-fields.ts` writes them", () => {
  expect(tablesIn(readFileSync(PAGE, "utf8"))).toBe(tables());
});
