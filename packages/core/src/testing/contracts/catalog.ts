import assert from "node:assert/strict";
import type { Catalog } from "../../stores/catalog.ts";
import { type ContractCase, contract, type MakeSubject } from "../contract.ts";

/** What every catalog must do. */
export function catalogContract(make: MakeSubject<Catalog>): ContractCase[] {
  const spec = { code: "return 1", schema: { type: "object" }, note: "naïve 日本" };
  return contract(make, {
    "an entry comes back whole": async (catalog) => {
      const put = await catalog.put({ kind: "tool", name: "add", spec, by: "ada" });
      assert.deepEqual(put, await catalog.get("tool", "add"));
      const { kind, name, enabled, by, revision } = put;
      assert.deepEqual(
        { kind, name, enabled, by, revision, spec: put.spec },
        { kind: "tool", name: "add", enabled: true, by: "ada", revision: 1, spec },
      );
    },
    "kinds have names of their own": async (catalog) => {
      await catalog.put({ kind: "tool", name: "notes", spec });
      assert.equal(await catalog.get("connection", "notes"), undefined);
      await catalog.put({ kind: "connection", name: "notes", spec: { url: "http://localhost" } });
      assert.deepEqual((await catalog.get("tool", "notes"))?.spec, spec);
    },
    "a change keeps what it does not name": async (catalog) => {
      const first = await catalog.put({ kind: "tool", name: "add", spec });
      await catalog.put({ kind: "tool", name: "add", spec, enabled: false });
      const third = await catalog.put({ kind: "tool", name: "add", spec: { code: "return 2" } });
      assert.equal(third.enabled, false);
      assert.equal(third.revision, 3);
      assert.equal(third.createdAt, first.createdAt);
      assert.deepEqual(third.spec, { code: "return 2" });
    },
    "entries are listed by kind and name": async (catalog) => {
      for (const name of ["b", "a", "c"]) await catalog.put({ kind: "tool", name, spec });
      await catalog.put({ kind: "connection", name: "z", spec });
      const names = async (kind?: "tool") => (await catalog.list(kind)).map((entry) => entry.name);
      assert.deepEqual(await names(), ["z", "a", "b", "c"]);
      assert.deepEqual(await names("tool"), ["a", "b", "c"]);
    },
    "a removed entry is gone, once": async (catalog) => {
      await catalog.put({ kind: "tool", name: "add", spec });
      assert.equal(await catalog.remove("tool", "add"), true);
      assert.equal(await catalog.remove("tool", "add"), false);
      assert.deepEqual(await catalog.list(), []);
    },
    "everything is there after a restart": async (catalog, { reopen }) => {
      if (reopen === undefined) return;
      const entry = await catalog.put({ kind: "tool", name: "add", spec });
      assert.deepEqual(await (await reopen()).get("tool", "add"), entry);
    },
  });
}
