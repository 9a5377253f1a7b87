import { MemoryLedger } from "@toolrig/core";
import { ledgerContract } from "@toolrig/core/testing";
import { describe, expect, test } from "vitest";
import { ledgerAfter } from "./ledger-after.ts";

describe("a ledger that is ready later is one", () => {
  const make = () => ledgerAfter(Promise.resolve(), new MemoryLedger());
  for (const each of ledgerContract(() => ({ value: make() }))) test(each.name, () => each.run());

  test("and does all that the other does", () => {
    expect(Object.keys(make()).sort()).toEqual(
      [
        "book",
        "intend",
        "complete",
        "fail",
        "unknown",
        "park",
        "unpark",
        "withdraw",
        "open",
        "get",
        "release",
        "under",
      ].sort(),
    );
  });
});
