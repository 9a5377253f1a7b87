/** Costs that creep in a few percent at a time: each entry may load so many modules, and no more. */
import { expect, test } from "vitest";
import { entries, modulesOf } from "./modules.ts";
import { mostOf, readLimits } from "./table.ts";

const { modules } = readLimits();

test("every entry has a limit, and every limit an entry", () => {
  expect(Object.keys(modules).sort()).toEqual([...entries].sort());
});

test.concurrent.each(entries)("%s loads no more modules than its limit", async (entry) => {
  const count = await modulesOf(entry);
  expect(count, 'load it where it is used: "npm run budget" prints all').toBeLessThanOrEqual(
    mostOf(modules[entry] ?? 0),
  );
  // A count of nothing would pass for ever.
  expect(count).toBeGreaterThan(5);
});
