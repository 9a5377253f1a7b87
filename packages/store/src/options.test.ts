import { ToolrigError } from "@toolrig/core";
import { afterAll, describe, expect, test } from "vitest";
import { openStore } from "./open-store.ts";

const store = openStore(":memory:");
afterAll(() => store.close());

const open = (given: object) => openStore(":memory:", given).close();
const prune = (given: never) => store.prune(given);
const settle = (by: unknown) =>
  store.ledger.settle("execution", { outcome: "happened", by: by as never, why: "seen" });

const refused: [what: string, make: (given: never) => unknown, given: unknown, message: string][] = [
  ["a path that is none", openStore, 42, "path must be a non-empty string; got 42"],
  ["an empty path", openStore, "", "path must be a non-empty string"],
  ["a misspelt setting", open, { readonly: true }, 'Did you mean "readOnly"?'],
  ["options that are none", open, 42, "The options of openStore must be an object of options; got 42"],
  ["busyTimeout", open, { busyTimeout: "30d" }, "busyTimeout must be a duration"],
  ["maxBytes", open, { maxBytes: "1GB" }, "maxBytes must be a whole number"],
  ["auditKey", open, { auditKey: "" }, "auditKey must be a non-empty string"],
  ["readOnly", open, { readOnly: "no" }, "readOnly must be true or false"],
  ["redactor", open, { redactor: 42 }, "redactor must be a Redactor; got 42"],
  ["no retention", prune, undefined, "retention must be what is kept"],
  ["a misspelt part of it", prune, { record: { maxAge: "1d" } }, 'Did you mean "records"?'],
  ["a misspelt limit", prune, { records: { maxage: "1d" } }, 'Did you mean "maxAge"?'],
  ["bytes as text", prune, { records: { maxBytes: "1GB" } }, "records.maxBytes must be a whole number"],
  ["fewer bytes than none", prune, { records: { maxBytes: -1 } }, "records.maxBytes must be a whole number"],
  ["bytes that are no number", prune, { artifacts: { maxBytes: Number.NaN } }, "artifacts.maxBytes must be"],
  ["an age that is none", prune, { artifacts: { maxAge: "old" } }, "artifacts.maxAge must be a duration"],
  ["a ledger without age", prune, { ledger: {} }, "ledger.maxAge must be a duration"],
  ["runs that are none", prune, { runs: 42 }, "runs must be an object of options; got 42"],
];

describe("options refused", () => {
  test.each(refused)("%s", async (_what, make, given, message) => {
    let error: unknown;
    try {
      await make(given as never);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ToolrigError);
    expect(error).toMatchObject({ code: "OPTION_INVALID", message: expect.stringContaining(message) });
  });

  test.each(["ada", { name: "ada" }, undefined])("a settlement by %j, which is no principal", async (by) => {
    await expect(settle(by)).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining("by must be a principal with an id"),
    });
  });

  test("pruning with one wrong limit removes nothing by the others", async () => {
    store.artifacts.put("kept");
    const wrong = { artifacts: { maxBytes: 0 }, runs: { maxAge: "soon" } } as never;
    await expect(store.prune(wrong)).rejects.toThrow("runs");
    expect((await store.prune({ artifacts: { maxBytes: 0 } })).artifacts).toBe(1);
  });
});
