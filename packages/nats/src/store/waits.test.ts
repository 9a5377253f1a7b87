import { jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect } from "@nats-io/transport-node";
import type { Wait } from "@toolrig/core/kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type NatsProcess, startNats } from "../../../../scripts/start-nats.ts";
import { type NatsStores, openNatsStores } from "./open-stores.ts";

let server: NatsProcess;
beforeAll(async () => {
  server = await startNats();
});
afterAll(() => server.close());

const END = { how: "completed", at: 2 } as const;

function waitOf(executionId: string, more: Partial<Wait> = {}): Wait {
  return {
    id: `${executionId}:result`,
    kind: "deferred",
    executionId,
    callId: "c",
    name: "deploy",
    createdAt: 1,
    body: {},
    ...more,
  };
}

const openAt = (prefix: string, more: object = {}) =>
  openNatsStores({ nats: { servers: server.url }, prefix, ...more });
const executionsOf = (waits: readonly Wait[]) => waits.map(({ executionId }) => executionId);

async function consumersOf(stores: NatsStores, bucket: string): Promise<number> {
  const manager = await jetstreamManager(stores.connection, { checkAPI: false });
  return (await manager.streams.info(`KV_${bucket}`)).state.consumer_count;
}

describe("processes that share waits", () => {
  test("see at once what others wrote, and leave nothing on the server", async () => {
    const [here, there] = await Promise.all([openAt("SHARED"), openAt("SHARED")]);
    await here.waits.add(waitOf("e1", { nextAt: 5 }));
    expect(executionsOf(await there.waits.due(5, 10))).toEqual(["e1"]);
    await there.waits.revise("e1:result", (wait) => ({ ...wait, nextAt: 9 }));
    await there.waits.add(waitOf("e2", { createdAt: 2, runId: "r" }));
    expect(await here.waits.due(5, 10)).toEqual([]);
    expect(executionsOf(await here.waits.list({ open: true }))).toEqual(["e1", "e2"]);
    expect(executionsOf(await here.waits.list({ open: true, runId: "r", limit: 1 }))).toEqual(["e2"]);
    await there.waits.revise("e1:result", ({ nextAt: _, ...wait }) => ({ ...wait, end: END }));
    expect(await here.waits.counts()).toEqual([{ kind: "deferred", count: 1, oldest: 2 }]);
    expect(await consumersOf(here, "SHARED_WAITS")).toBeLessThanOrEqual(2);
    expect(executionsOf(await here.waits.list({ executionId: "e1" }))).toEqual(["e1"]);
    here.waits.close();
    there.waits.close();
    await expect.poll(() => consumersOf(here, "SHARED_WAITS")).toBe(0);
    await Promise.all([here.close(), there.close()]);
  });

  test("end each wait once", async () => {
    const [here, there] = await Promise.all([openAt("ONCE"), openAt("ONCE")]);
    const ids = Array.from({ length: 30 }, (_, index) => `e${index}`);
    await Promise.all(ids.map((id) => here.waits.add(waitOf(id))));
    const endAll = ({ waits }: NatsStores) =>
      Promise.all(
        ids.map((id) =>
          waits.revise(`${id}:result`, (wait) =>
            wait.end === undefined ? { ...wait, end: END } : undefined,
          ),
        ),
      );
    const [mine, theirs] = await Promise.all([endAll(here), endAll(there)]);
    expect(mine.map((ended, index) => Number(ended) + Number(theirs?.[index]))).toEqual(ids.map(() => 1));
    await Promise.all([here.close(), there.close()]);
  });

  test("hear of what was written while the server was away from them", async () => {
    const own = await startNats();
    const at = () => openNatsStores({ nats: { servers: own.url }, prefix: "AWAY" });
    const here = await at();
    await here.waits.add(waitOf("e1", { nextAt: 1 }));
    expect(executionsOf(await here.waits.due(5, 10))).toEqual(["e1"]);
    await own.kill();
    await own.restart();
    const there = await at();
    await there.waits.add(waitOf("e2", { nextAt: 2 }));
    await there.waits.revise("e1:result", ({ nextAt: _, ...wait }) => ({ ...wait, end: END }));
    await expect.poll(async () => executionsOf(await here.waits.due(5, 10).catch(() => []))).toEqual(["e2"]);
    await Promise.all([here.close(), there.close()]);
    await own.close();
  });

  test("do not go on with the waits of a bucket that was made anew", async () => {
    const before = await openAt("ANEW");
    for (const id of ["e1", "e2"]) await before.waits.add(waitOf(id));
    expect(await before.waits.counts()).toMatchObject([{ count: 2 }]);
    const manager = await jetstreamManager(before.connection, { checkAPI: false });
    await manager.streams.delete("KV_ANEW_WAITS");
    const after = await openAt("ANEW");
    for (const id of ["e3", "e4", "e5"]) await after.waits.add(waitOf(id));
    expect(executionsOf(await before.waits.list({ open: true }))).toEqual(["e3", "e4", "e5"]);
    await Promise.all([before.close(), after.close()]);
  });
});

test("what somebody else put into the bucket does not hide the waits", async () => {
  const stores = await openAt("STRANGE");
  const kv = await new Kvm(stores.connection).open("STRANGE_WAITS");
  for (const [index, text] of ["", "{", "null", "{}", "7", '{"~object":"none"}'].entries())
    await kv.put(`x.${index}`, text);
  await stores.waits.add(waitOf("e1", { nextAt: 1 }));
  expect(executionsOf(await stores.waits.due(5, 10))).toEqual(["e1"]);
  expect(executionsOf(await stores.waits.list({ open: true }))).toEqual(["e1"]);
  await stores.close();
});

test("a wait that is larger than a message comes back whole", async () => {
  const stores = await openAt("LARGE");
  const wait = waitOf("e1", { nextAt: 1, body: "x".repeat(2_000_000) });
  await stores.waits.add(wait);
  expect(await stores.waits.due(5, 10)).toEqual([wait]);
  await stores.close();
});

test("what was kept for long enough is no longer counted", async () => {
  const stores = await openAt("KEPT", { keep: "1s" });
  await stores.waits.add(waitOf("e1", { nextAt: 1 }));
  expect(await stores.waits.counts()).toMatchObject([{ count: 1 }]);
  await expect.poll(() => stores.waits.counts()).toEqual([]);
  await expect.poll(() => stores.waits.due(5, 10)).toEqual([]);
  await stores.close();
});

test("questions of an earlier version are found among the waits", async () => {
  const connection = await connect({ servers: server.url });
  const kv = await new Kvm(connection).create("OLD_APPROVALS");
  const pendingOf = (executionId: string) => ({
    executionId,
    fingerprint: "f",
    name: "pay",
    args: { sum: 1 },
    reasons: ["it pays"],
    callId: "c",
    createdAt: 1,
    expiresAt: 9,
  });
  const decision = { decision: "denied", by: { id: "eve" }, at: 2 };
  await kv.put("question.id.e1", JSON.stringify({ pending: pendingOf("e1") }));
  await kv.put("question.id.e2", JSON.stringify({ pending: pendingOf("e2"), decision }));
  await connection.close();
  for (let times = 0; times < 2; times++) {
    const stores = await openAt("OLD");
    expect(await stores.approvals.list()).toEqual([
      { pending: pendingOf("e1") },
      { pending: pendingOf("e2"), decision },
    ]);
    expect(executionsOf(await stores.waits.due(9, 10))).toEqual(["e1"]);
    await stores.close();
  }
});

test("only who has an intent open parks it; whoever takes it up has it", async () => {
  const [here, there] = await Promise.all([openAt("PARK"), openAt("PARK")]);
  const intent = {
    executionId: "e",
    fingerprint: "f",
    name: "n",
    version: undefined,
    args: {},
    callId: "c",
    runId: undefined,
  };
  await here.ledger.intend(intent);
  expect(await there.ledger.park("e")).toBe(false);
  expect(await here.ledger.park("e")).toBe(true);
  expect(await there.ledger.intend(intent)).toEqual({ state: "waiting" });
  expect(await there.ledger.unpark("e")).toBe(true);
  expect(await here.ledger.intend(intent)).toEqual({ state: "running" });
  await Promise.all([here.close(), there.close()]);
});
