import { expect, test } from "vitest";
import { isSamePerson } from "./principal.ts";

test.each(["ann", "Ann", "ann\u0000", "ann.", " ann ", "a\u200bnn", "\u0430nn", "\uff41nn", "ánn", "a-n-n"])(
  "%j counts as ann",
  (id) => {
    expect(isSamePerson({ id }, { id: "ann" })).toBe(true);
  },
);

test.each(["anne", "bob", "ann2", "."])("%j does not", (id) => {
  expect(isSamePerson({ id }, { id: "ann" })).toBe(false);
});
