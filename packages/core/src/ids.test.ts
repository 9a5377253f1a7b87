import { expect, test } from "vitest";
import { idMark, isMadeSince, MADE_ID, newId } from "./ids.ts";

test("ids are unique, have one shape and sort by birth", () => {
  const ids = Array.from({ length: 36 ** 2 + 1 }, () => newId("exec"));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  for (const id of ids) expect(id).toMatch(new RegExp(`^${MADE_ID.source}$`));
});

test("an id is newer than a mark that was taken before it, and not than one taken after it", () => {
  for (let count = 0; count < 40; count++) {
    const before = idMark();
    const id = newId("exec");
    expect(isMadeSince(before, id)).toBe(true);
    expect(isMadeSince(idMark(), id)).toBe(false);
  }
});
