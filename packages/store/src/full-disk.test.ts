import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onFullDisk } from "../test/full-disk.ts";

test.each(["open", "reopened"] as const)("a store on a full disk is pruned and goes on (%s)", (how) => {
  const folder = mkdtempSync(join(tmpdir(), "toolrig-full-"));
  try {
    expect(onFullDisk(folder, how)).toEqual({
      early: "paid",
      full: "full",
      refused: "TOOL_UNAVAILABLE",
      pruned: true,
      again: "paid",
      known: "paid",
      paid: 2,
      ok: true,
      damage: [],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
