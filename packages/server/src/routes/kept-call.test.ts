import { createHash } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { type MadeOptions, type Served, served } from "../../test/served.ts";

const open: Served[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.end();
});

async function start(options: MadeOptions = {}): Promise<Served> {
  const server = await served(options);
  open.push(server);
  return server;
}

function send(server: Served, key: string, body: object, headers: Record<string, string> = {}) {
  return server.ask("/api/v1/calls", {
    method: "POST",
    body,
    headers: { "idempotency-key": key, ...headers },
  });
}

async function running(server: Served): Promise<{ executionId: string }[]> {
  return (await server.ask("/api/v1/calls?state=running")).body.items;
}

const pay = (amount: number) => ({ name: "pay", arguments: { amount } });
const token = (id: string, principal: string, ...scopes: string[]) => ({
  sha256: createHash("sha256").update(`token-of-${id}`).digest("hex"),
  id,
  principal: { id: principal },
  scopes: scopes as never,
});
const as = (id: string) => ({ authorization: `Bearer token-of-${id}` });

test("a request that is refused after a restart does not take the key from the first", async () => {
  const first = await start();
  const one = await send(first, "k", pay(5));
  const again = await start({ file: first.store.path });
  expect(await send(again, "k", pay(6))).toMatchObject({
    status: 422,
    body: { code: "IDEMPOTENCY_KEY_REUSED" },
  });
  expect((await send(again, "k", pay(5))).body).toMatchObject({
    executionId: one.body.executionId,
    value: "paid 5",
  });
  expect(again.world.ran).toEqual([]);
});

test("a request that was shed leaves its key to the next", async () => {
  const server = await start({ limits: { calls: 1, queue: 0 } });
  const holding = server.ask("/api/v1/calls", { method: "POST", body: { name: "hold" } });
  await expect.poll(async () => (await running(server)).length).toBe(1);
  expect((await send(server, "k", pay(1))).status).toBe(503);
  server.world.release();
  await holding;
  expect(await send(server, "k", pay(2))).toMatchObject({ status: 200, body: { value: "paid 2" } });
  expect((await send(server, "k", pay(1))).status).toBe(422);
});

test("one key in the queue is one execution, and another request with it is refused there", async () => {
  const server = await start({ limits: { calls: 1, queue: 4, queueTimeout: "60s" } });
  const holding = server.ask("/api/v1/calls", { method: "POST", body: { name: "hold" } });
  await expect.poll(async () => (await running(server)).length).toBe(1);
  const add = { name: "add", arguments: { a: 1, b: 2 } };
  const queued = [add, add, add, pay(1), pay(1)].map((body) => send(server, "k", body));
  // When one is refused the others are in the queue.
  expect((await Promise.race(queued)).status).toBe(503);
  server.world.release();
  await holding;
  const answers = await Promise.all(queued);
  const refused = answers.filter(({ status }) => status === 422);
  const made = answers.filter(({ status }) => status === 200);
  expect(refused.length).toBeGreaterThan(0);
  expect(new Set(made.map(({ body }) => body.executionId)).size).toBe(1);
  expect(server.world.ran).toHaveLength(1);
  expect((await server.ask("/api/v1/calls", { method: "POST", body: add })).status).toBe(200);
});

test("a key that is sent again while its call waits is told so, and nothing runs for it, also after a restart", async () => {
  const server = await start();
  const first = await send(server, "k", { name: "ask_day" });
  expect(first.status).toBe(202);
  expect(await send(server, "k", { name: "ask_day" })).toMatchObject({
    status: 202,
    body: { executionId: first.body.executionId, state: "waiting" },
  });
  expect(server.world.ran).toEqual(["ask_day"]);
  expect((await server.ask("/api/v1/inbox")).body.items).toHaveLength(1);
  const again = await start({ file: server.store.path });
  expect(await send(again, "k", { name: "ask_day" })).toMatchObject({
    status: 202,
    body: { executionId: first.body.executionId, state: "waiting" },
  });
  expect(again.world.ran).toEqual([]);
});

test("two servers on one store: whoever was told to ask again later is given the result of the first", async () => {
  const one = await start();
  const two = await start({ file: one.store.path });
  const made = send(one, "k", { name: "hold_and_pay" });
  await expect.poll(() => one.world.ran).toEqual(["hold_and_pay"]);
  const refused = await send(two, "k", { name: "hold_and_pay" });
  expect(refused.body.failure).toMatchObject({ code: "TOOL_UNAVAILABLE", retryable: true });
  one.world.release();
  const { executionId } = (await made).body;
  expect((await send(two, "k", { name: "hold_and_pay" })).body).toMatchObject({ executionId, value: "paid" });
  expect(two.world.ran).toEqual([]);
});

test("a token for which a tool is not there gets no result of it by a key, and spoils no key", async () => {
  const server = await start({
    tokens: [token("ann", "ann", "call"), token("narrow", "ann", "tools:add")],
  });
  await send(server, "p", pay(1), as("ann"));
  expect((await send(server, "p", pay(1), as("narrow"))).body.failure.code).toBe("TOOL_NOT_FOUND");
  expect((await send(server, "q", pay(2), as("narrow"))).body.failure.code).toBe("TOOL_NOT_FOUND");
  expect((await send(server, "q", pay(2), as("ann"))).body.value).toBe("paid 2");
  const add = { name: "add", arguments: { a: 1, b: 2 } };
  const [wide, narrow] = [
    await send(server, "r", add, as("ann")),
    await send(server, "r", add, as("narrow")),
  ];
  expect(narrow.body.executionId).toBe(wide.body.executionId);
  expect(server.world.ran).toEqual(["pay 1", "pay 2", "add 1 2"]);
});

test("a key where none is honoured is refused, and nothing is done", async () => {
  const server = await start({ script: [{ text: "done" }], demo: { start: async () => "run" } });
  const bodies: [path: string, body: object][] = [
    ["/calls/batch", { calls: [pay(1)] }],
    ["/runs", { input: "Pay" }],
    ["/runs/some/fork", { turn: 0 }],
    ["/demo/start", {}],
  ];
  for (const [path, body] of bodies) {
    const headers = { "idempotency-key": "k" };
    expect(await server.ask(`/api/v1${path}`, { method: "POST", body, headers }), path).toMatchObject({
      status: 422,
      body: { code: "REQUEST_INVALID", detail: expect.stringContaining("takes no Idempotency-Key") },
    });
  }
  expect(server.world.ran).toEqual([]);
});
