import assert from "node:assert/strict";
import type { DescriptionStore } from "../../stores/descriptions.ts";
import { type ContractCase, contract, type MakeSubject } from "../contract.ts";

/** What every description store must do. */
export function descriptionStoreContract(make: MakeSubject<DescriptionStore>): ContractCase[] {
  return contract(make, {
    "a description is what was set last": (store) => {
      assert.equal(store.get("search"), undefined);
      store.set("search", "one");
      store.set("search", "two");
      assert.equal(store.get("search"), "two");
      assert.equal(store.get("other"), undefined);
    },
    "the version grows with every change, and only then": (store) => {
      const seen = [store.version];
      store.set("search", "one");
      seen.push(store.version);
      store.set("search", "one");
      assert.equal(store.version, seen.at(-1));
      store.set("search", "two");
      seen.push(store.version);
      store.delete("other");
      assert.equal(store.version, seen.at(-1));
      store.delete("search");
      seen.push(store.version);
      assert.deepEqual(
        seen,
        [...new Set(seen)].sort((a, b) => a - b),
      );
    },
    "a description that is no text, or empty, is refused and changes nothing": (store) => {
      store.set("search", "one");
      const { version } = store;
      for (const wrong of [42, "", " ", null, undefined]) {
        assert.throws(() => store.set("search", wrong as string), { code: "OPTION_INVALID" });
      }
      assert.equal(store.get("search"), "one");
      assert.equal(store.version, version);
    },
    "a deleted description is gone": (store) => {
      store.set("search", "one");
      store.delete("search");
      assert.equal(store.get("search"), undefined);
    },
    "names are data": (store) => {
      assert.equal(store.get("__proto__"), undefined);
      assert.equal(store.get("constructor"), undefined);
      store.set("__proto__", "odd");
      assert.equal(store.get("__proto__"), "odd");
    },
    "every change is remembered": (store) => {
      store.set("search", "one");
      store.set("other", "else");
      store.set("search", "two");
      store.delete("search");
      const history = store.history("search");
      assert.deepEqual(
        history.map(({ description }) => description),
        ["one", "two", undefined],
      );
      assert.ok(history.every(({ version }, index) => index === 0 || version > history[index - 1]!.version));
      assert.deepEqual(store.history("none"), []);
    },
    "everything is there after a restart, and the version goes on": async (store, { reopen }) => {
      if (reopen === undefined) return;
      store.set("search", "one");
      store.set("gone", "x");
      store.delete("gone");
      const { version } = store;
      const again = await reopen();
      assert.equal(again.version, version);
      assert.equal(again.get("search"), "one");
      assert.equal(again.get("gone"), undefined);
      again.set("search", "two");
      assert.ok(again.version > version);
    },
  });
}
