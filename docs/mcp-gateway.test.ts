/** The page about the gateway has the table that the proof checks. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withTable } from "../proofs/mcp-gateway/table.ts";

test("its table is that of the proof; `node --conditions=@toolrig/source proofs/mcp-gateway/table.ts --write` writes it", () => {
  const page = readFileSync(join(import.meta.dirname, "mcp-gateway.md"), "utf8");
  expect(page).toBe(withTable(page));
});
