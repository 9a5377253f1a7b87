import { MemoryLedger } from "@toolrig/core";
import { ledgerContract } from "@toolrig/core/testing";
import { describe, expect, test } from "vitest";
import { claimedLedger } from "./claimed-ledger.ts";

describe("a ledger of claimed calls is one", () => {
  const fleet = {
    isClaimed: () => true,
    isParked: () => false,
    begin: async () => true,
    settled: async () => {},
  };
  const make = () => claimedLedger(fleet, new MemoryLedger());
  for (const each of ledgerContract(() => ({ value: make() }))) test(each.name, () => each.run());

  test("and does all that the other does", () => {
    const all = [
      "book",
      "intend",
      "complete",
      "fail",
      "unknown",
      "release",
      "park",
      "unpark",
      "settled",
      "withdraw",
      "under",
    ];
    expect(Object.keys(make()).sort()).toEqual([...all, "open", "get"].sort());
  });
});
