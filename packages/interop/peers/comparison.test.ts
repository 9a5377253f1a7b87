/** Each cell of the comparison that is about a peer says where it comes from. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installPeers } from "../../../scripts/interop-peers.ts";

installPeers(console.error);

const root = join(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/comparison.md"), "utf8");
const [, section = ""] = page.split("## The tool layer\n");
const [table = "", listed = ""] = section.split("\nSources: ");
const rows = table
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .slice(2)
  .map((line) => line.split("|").slice(1, -1));
const sources = new Map(
  listed
    .split("\n## ")[0]!
    .split(/\[(?=\d+\]\s)/)
    .slice(1)
    .map((each) => [each.slice(0, each.indexOf("]")), each.slice(each.indexOf("]") + 1)] as const),
);

test.each(rows.map(([what = "", ...cells]) => [what.trim(), cells.slice(0, 4)] as const))(
  "what is said of peers about %s is run, or has a source",
  (_what, cells) => {
    expect(cells).toHaveLength(4);
    for (const cell of cells) {
      const cited = [...cell.matchAll(/\[(\d+)\]/g)].map(([, number = ""]) => number);
      expect(cited.length > 0 || cell.includes("(run)"), cell).toBe(true);
      expect(cited.filter((number) => !sources.has(number))).toEqual([]);
    }
  },
);

test("the files that are named are those of the installed packages", () => {
  const files = [...sources.values()].flatMap((source) =>
    [...source.matchAll(/`([^`]+\/[^`]+)`/g)].map(([, file = ""]) => file),
  );
  expect(files.length).toBeGreaterThan(20);
  const folders = [join(import.meta.dirname, "node_modules"), join(root, "node_modules"), root];
  expect(files.filter((file) => !folders.some((folder) => existsSync(join(folder, file))))).toEqual([]);
});
