/** Three replicas, of which each answers direct reads: what is read after a write must not be older than it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../../scripts/start-nats-cluster.ts";
import { open } from "../wire/connection.ts";
import { Bucket } from "./bucket.ts";
import { openNatsStores } from "./open-stores.ts";

const replicas = 3;
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.close());

/** Does it so many times at once, each a number of times. */
async function atOnce(width: number, times: number, act: (one: number, time: number) => Promise<void>) {
  const one = async (number: number) => {
    for (let time = 0; time < times; time++) await act(number, time);
  };
  await Promise.all(Array.from({ length: width }, (_, number) => one(number)));
}

test("a read is never older than a write that was acknowledged before it", async () => {
  const connection = await open({ servers: cluster.urls }, "test");
  const bucket = await Bucket.open<number>(connection, { name: "READ", replicas });
  const old: string[] = [];
  await atOnce(16, 30, async (one, time) => {
    await bucket.put(`k.${one}`, time);
    const read = await bucket.get(`k.${one}`);
    if (read?.value !== time) old.push(`k.${one} was ${time} and is read as ${read?.value}`);
    const listed = await bucket.scan("k.", "leader");
    const [found] = listed.filter(({ key }) => key === `k.${one}`);
    if (found?.value !== time) old.push(`k.${one} was ${time} and is listed as ${found?.value}`);
  });
  expect(old).toEqual([]);
  await connection.close();
});

test("a wait that one process wrote is due in another at once", async () => {
  const openAt = () => openNatsStores({ nats: { servers: cluster.urls }, prefix: "DUE", replicas });
  const [here, there] = await Promise.all([openAt(), openAt()]);
  const missed: string[] = [];
  await atOnce(8, 20, async (one, time) => {
    const executionId = `e${one}-${time}`;
    const id = `${executionId}:result`;
    await here.waits.add({
      id,
      kind: "deferred",
      executionId,
      callId: "c",
      name: "deploy",
      createdAt: 1,
      nextAt: 1,
      body: {},
    });
    const due = await there.waits.due(5, 1_000);
    if (!due.some((wait) => wait.id === id)) missed.push(`${id} is not due`);
    await there.waits.revise(id, ({ nextAt: _, ...wait }) => ({ ...wait, end: { how: "completed", at: 2 } }));
    const open = await here.waits.list({ open: true });
    if (open.some((wait) => wait.id === id)) missed.push(`${id} is still open`);
  });
  expect(missed).toEqual([]);
  await Promise.all([here.close(), there.close()]);
});
