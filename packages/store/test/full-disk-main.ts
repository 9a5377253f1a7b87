/** Fills a store until its disk is full, prunes it, and goes on. Says what came of each, as JSON. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Executor, tool } from "@toolrig/core";
import { sampleRecord } from "@toolrig/core/testing";
import { openStore } from "../src/index.ts";

const [, , path = "", how] = process.argv;
// Without a small disk, a limit of the store is the nearest there is.
const options = how === "limited" ? { maxBytes: 8_000_000 } : {};
let paid = 0;
const pay = tool({
  name: "pay",
  description: "Pay",
  input: { type: "object" },
  safety: { sideEffects: "external" },
  execute: () => `paid ${++paid}`,
});
let store = openStore(path, options);
const call = async (executionId: string) => {
  const executor = new Executor({ tools: [pay], ledger: store.ledger });
  const { failure } = await executor.call({ id: "c", name: "pay", arguments: {} }, { executionId });
  return failure?.code ?? "paid";
};

const early = await call("exec_1");
let stored = 0;
const storeMore = () => store.records.store(Array.from({ length: 500 }, () => sampleRecord(++stored)));
for (let n = 0; n < 10; n++) {
  storeMore();
  // So that the reserve, which is looked at from time to time, keeps up.
  await pause(260);
}
// Others take what is left of the disk.
for (let size = how === "limited" ? 0 : 1 << 20; size >= 1; size >>= 1)
  for (let isFull = false; !isFull; ) {
    try {
      writeFileSync(join(dirname(path), `other-${size}-${Math.random()}`), Buffer.alloc(size));
    } catch {
      isFull = true;
    }
  }
let full: unknown;
try {
  for (;;) storeMore();
} catch (error) {
  full = (error as { details?: { problem?: string } }).details?.problem;
}
const refused = await call("exec_2");
if (how === "reopened") {
  store.close();
  store = openStore(path);
}
const pruned = await store.prune({ records: { maxBytes: 0 } });
const again = await call("exec_2");
const known = await call("exec_1");
const { ok } = store.records.verify();
console.log(
  JSON.stringify({
    early,
    full,
    refused,
    pruned: pruned.records > 0,
    again,
    known,
    paid,
    ok,
    damage: store.check(),
  }),
);
store.close();
