import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { difference, words } from "./diff.ts";

describe("difference", () => {
  test("marks what was taken out and what was put in", () => {
    const before = words("{query: 'a'}");
    const after = words('{"query": "a"}');
    const marks = difference(before, after);
    expect(before.filter((_, at) => marks?.before[at])).toEqual(["'", "'"]);
    expect(after.filter((_, at) => marks?.after[at])).toEqual(['"', '"', '"', '"']);
  });

  test("what is not marked is the same on both sides, whatever the texts", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", "c")),
        fc.array(fc.constantFrom("a", "b", "c")),
        (before, after) => {
          const marks = difference(before, after);
          expect(marks).toBeDefined();
          const kept = (parts: string[], marked: boolean[] | undefined) =>
            parts.filter((_, at) => !marked?.[at]);
          expect(kept(before, marks?.before)).toEqual(kept(after, marks?.after));
        },
      ),
    );
  });

  test("gives up on texts that have nothing in common, at once", () => {
    const many = (word: string) => Array.from({ length: 20_000 }, (_, index) => word + index);
    expect(difference(many("a"), many("b"))).toBeUndefined();
  });
});
