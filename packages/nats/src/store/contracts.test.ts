import { connect, type NatsConnection } from "@nats-io/transport-node";
import {
  approvalStoreContract,
  type ContractCase,
  callStoreContract,
  journalContract,
  ledgerContract,
  type Subject,
  sampleRecord,
  waitingCallsContract,
  waitStoreContract,
} from "@toolrig/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { type NatsStores, openNatsStores } from "./open-stores.ts";
import { KvCallStore } from "./records.ts";

let server: NatsProcess;
let count = 0;

beforeAll(async () => {
  server = await startNats();
});
afterAll(() => server.close());

/** A part of stores under a prefix of their own; reopening is another connection. */
function partOf<T>(part: (stores: NatsStores) => T): () => Promise<Subject<T>> {
  return async () => {
    count += 1;
    const options = { nats: { servers: server.url }, prefix: `T${count}` };
    let stores = await openNatsStores(options);
    return {
      value: part(stores),
      async reopen() {
        await stores.close();
        stores = await openNatsStores(options);
        return part(stores);
      },
      close: () => stores.close(),
    };
  };
}

function holds(name: string, cases: readonly ContractCase[]): void {
  describe(name, () => {
    for (const each of cases) test(each.name, () => each.run());
  });
}

holds("ledger", ledgerContract(partOf((stores) => stores.ledger)));
holds("journal", journalContract(partOf((stores) => stores.journal)));
holds("approvals", approvalStoreContract(partOf((stores) => stores.approvals)));
holds("waits", waitStoreContract(partOf((stores) => stores.waits)));
holds("calls that wait", waitingCallsContract(partOf(({ ledger, waits }) => ({ ledger, waits }))));
holds(
  "records",
  callStoreContract(partOf(({ records }) => ({ store: records, records: () => records.records() }))),
);

describe("a call store", () => {
  const open = () => connect({ servers: server.url });

  test("keeps any call id apart from any other", async () => {
    const connection = await open();
    const store = new KvCallStore(connection, { bucket: "ANY_ID" });
    const long = "x".repeat(5_000);
    const ids = ["a.b", "a", "a b", "a*", ">", "é", "", "a.b.c", long, `${long}y`];
    await store.store(ids.map((callId, index) => sampleRecord(index, { callId })));
    expect((await store.records()).map(({ callId }) => callId)).toEqual(ids);
    expect((await store.records("a")).map(({ callId }) => callId)).toEqual(["a"]);
    expect((await store.records(long)).map(({ callId }) => callId)).toEqual([long]);
    await store.storeLate([{ executionId: "e", callId: "a", name: "x", at: 1, afterMs: 2, isError: false }]);
    expect(await store.late("a")).toMatchObject([{ afterMs: 2 }]);
    await connection.close();
  });

  test("is closed until it is reset", async () => {
    const connection = await open();
    const store = new KvCallStore(connection, { bucket: "CLOSED" });
    store.close();
    await expect(store.store([sampleRecord(1)])).rejects.toThrow("closed");
    store.reset();
    await store.store([sampleRecord(1)]);
    expect(await store.records()).toHaveLength(1);
    await connection.close();
  });

  test("that could not be opened tries again with the next record", async () => {
    const bare = await startNats({ extra: "" });
    const connection: NatsConnection = await connect({
      servers: bare.url,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 50,
    });
    const store = new KvCallStore(connection, { bucket: "not a valid name" });
    await expect(store.store([sampleRecord(1)])).rejects.toThrow("cannot be opened");
    await bare.kill();
    const other = new KvCallStore(connection, { bucket: "LATER" });
    await bare.restart();
    await other.store([sampleRecord(1)]);
    expect(await other.records()).toHaveLength(1);
    await connection.close();
    await bare.close();
  });

  test("takes records larger than a message", async () => {
    const connection = await open();
    const store = new KvCallStore(connection, { bucket: "LARGE" });
    const large = sampleRecord(1, { rawArguments: "x".repeat(3_000_000) });
    await store.store([large]);
    expect(await store.records()).toEqual([large]);
    await connection.close();
  });
});

test("an intent of a process that is alive may not be taken over", async () => {
  const options = { nats: { servers: server.url }, prefix: "TWO" };
  const [first, second] = [await openNatsStores(options), await openNatsStores(options)];
  const intent = {
    executionId: "e",
    fingerprint: "f",
    name: "n",
    version: undefined,
    args: {},
    callId: "c",
    runId: undefined,
  };
  expect(await first.ledger.intend(intent)).toEqual({ state: "new" });
  expect(await second.ledger.intend(intent)).toEqual({ state: "running" });
  expect(await second.ledger.open()).toMatchObject([{ running: true }]);
  await first.close();
  expect(await second.ledger.intend(intent)).toEqual({ state: "open" });
  await second.close();
});
