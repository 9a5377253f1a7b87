import { expect, test } from "vitest";
import { sampleRecord } from "../testing/contracts/records.ts";
import { MemoryCallStore } from "./records.ts";

test("a store in memory takes no records once it is closed, and can be reset", () => {
  const store = new MemoryCallStore();
  store.store([sampleRecord(1)]);
  store.close();
  expect(() => store.store([sampleRecord(2)])).toThrow(/closed and takes no more records/);
  expect(() => store.storeLate([])).toThrow(/closed/);
  expect(store.records()).toHaveLength(1);
  store.reset();
  store.store([sampleRecord(2)]);
  expect(store.records()).toEqual([sampleRecord(2)]);
});
