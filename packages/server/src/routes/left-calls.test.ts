import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Served, served } from "../../test/served.ts";

/** What goes on by itself does so when its turn comes, on a machine that has other things to do. */

const post = (server: Served, path: string, body?: object, headers: Record<string, string> = {}) =>
  server.ask(`/api/v1${path}`, { method: "POST", headers, ...(body !== undefined && { body }) });

async function inboxIdOf(server: Served, executionId: string): Promise<string> {
  const find = async () =>
    (await server.ask("/api/v1/inbox")).body.items.find(
      (each: { executionId: string }) => each.executionId === executionId,
    )?.id;
  await expect.poll(find).toBeDefined();
  return find();
}

/** How a call stands once it is over, and the records of it. */
async function endOf(server: Served, executionId: string) {
  const status = async () => (await server.ask(`/api/v1/calls/${executionId}`)).body;
  await expect.poll(async () => (await status()).result).toBeDefined();
  const { body } = await server.ask(`/api/v1/records?execution=${executionId}`);
  return { ...(await status()), records: body.items.length };
}

const mail = (to: string) => ({ name: "send_mail", arguments: { to } });

describe("a call that waits", () => {
  let server: Served;
  beforeAll(async () => {
    server = await served();
  });
  afterAll(() => server.end());

  test.each<[string, object, Record<string, string>]>([
    ["plain", {}, {}],
    ["async", { async: true }, {}],
    ["keyed", {}, { "idempotency-key": "left" }],
    ["keyed and async", { async: true }, { "idempotency-key": "left-too" }],
  ])("runs once when it is approved, and is recorded once: %s", async (how, more, headers) => {
    const { status, body } = await post(server, "/calls", { ...mail(how), ...more }, headers);
    expect(status).toBe(202);
    const id = await inboxIdOf(server, body.executionId);
    expect((await post(server, `/inbox/${id}/approve`)).status).toBe(204);
    const end = await endOf(server, body.executionId);
    expect(end).toMatchObject({ state: "ok", records: 1, result: { value: `sent to ${how}` } });
    expect(server.world.ran.filter((each) => each === `mail ${how}`)).toHaveLength(1);
  });

  test("runs when it came in a batch", async () => {
    const { body } = await post(server, "/calls/batch", { calls: [mail("one"), mail("two")] });
    for (const { executionId } of body.results) {
      await post(server, `/inbox/${await inboxIdOf(server, executionId)}/approve`);
      expect(await endOf(server, executionId)).toMatchObject({ state: "ok", records: 1 });
    }
    expect(server.world.ran).toContain("mail one");
    expect(server.world.ran).toContain("mail two");
  });

  test.each<[string, string, object, object]>([
    [
      "ask_day",
      "answer",
      { value: { day: "Monday" } },
      { result: { value: { status: "answered", value: { day: "Monday" } } } },
    ],
    ["ask_day", "decline", {}, { result: { value: { status: "declined" } } }],
    ["ask_day", "cancel", {}, { result: { value: { status: "cancelled" } } }],
    ["build", "complete", { value: { url: "u" } }, { state: "ok", result: { value: { url: "u" } } }],
    ["build", "cancel", {}, { state: "failed" }],
    ["send_mail", "deny", { reason: "no" }, { state: "failed" }],
    ["send_mail", "cancel", {}, { state: "failed" }],
  ])("%s is recorded once after: %s", async (name, how, given, expected) => {
    const { status, body } = await post(server, "/calls", { name, arguments: { to: how } });
    expect(status).toBe(202);
    const id = await inboxIdOf(server, body.executionId);
    expect((await post(server, `/inbox/${id}/${how}`, given)).status).toBe(204);
    expect(await endOf(server, body.executionId)).toMatchObject({ records: 1, ...expected });
    expect(server.world.ran).not.toContain(`mail ${how}`);
  });

  test("is not said to be cancelled when its completion came first", async () => {
    const { body } = await post(server, "/calls", { name: "build", arguments: { to: "first" } });
    const id = await inboxIdOf(server, body.executionId);
    const { waits } = server.rig;
    const cancel = waits.cancel.bind(waits);
    waits.cancel = async (...given) => {
      waits.cancel = cancel;
      await waits.complete(body.executionId, { by: { id: "ann" } }, { url: "u" });
      return cancel(...given);
    };
    expect((await post(server, `/inbox/${id}/cancel`)).status).toBe(409);
    expect(await endOf(server, body.executionId)).toMatchObject({ state: "ok", records: 1 });
  });

  test("is recorded once when it is cancelled by its id", async () => {
    const { body } = await post(server, "/calls", mail("nobody"));
    expect((await post(server, `/calls/${body.executionId}/cancel`)).status).toBe(204);
    expect(await endOf(server, body.executionId)).toMatchObject({ state: "failed", records: 1 });
  });
});

describe("the events of a call that waits", () => {
  const file = join(mkdtempSync(join(tmpdir(), "left-")), "rig.db");
  let one: Served;
  let other: Served;
  beforeAll(async () => {
    one = await served({ file });
    other = await served({ file });
  });
  afterAll(async () => {
    await one.end();
    await other.end();
  });
  const eventsOf = (server: Served, executionId: string) =>
    fetch(`${server.url}/api/v1/calls/${executionId}/events`);

  test.each(["here", "at another server"])("tell when its result comes, which is given %s", async (where) => {
    const { body } = await post(one, "/calls", { name: "build" });
    const following = await eventsOf(one, body.executionId);
    expect(following.status).toBe(200);
    const id = await inboxIdOf(one, body.executionId);
    await post(where === "here" ? one : other, `/inbox/${id}/complete`, { value: { url: "hunter2hunter2" } });
    const told = await following.text();
    expect(told.match(/^event: call\.end$/gm)).toHaveLength(1);
    expect(told).not.toContain("hunter2hunter2");
    await endOf(other, body.executionId);
    const late = await (await eventsOf(other, body.executionId)).text();
    expect(late.match(/^event: call\.end$/gm)).toHaveLength(1);
    expect(late).not.toContain("hunter2hunter2");
  });

  test("are those of a call that there is", async () => {
    expect((await eventsOf(one, "exec_nowhere")).status).toBe(404);
  });
});

test("what is approved after a restart runs in the process that is there then", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "left-")), "rig.db");
  const before = await served({ file });
  const { body } = await post(before, "/calls", mail("later"));
  await before.end();
  const after = await served({ file });
  try {
    await post(after, `/inbox/${await inboxIdOf(after, body.executionId)}/approve`);
    expect(await endOf(after, body.executionId)).toMatchObject({ state: "ok", records: 1 });
    expect(after.world.ran).toEqual(["mail later"]);
  } finally {
    await after.end();
  }
});

test("what is approved at one of two servers runs at one of them, and both know of it", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "left-")), "rig.db");
  const one = await served({ file });
  const other = await served({ file });
  try {
    const { body } = await post(one, "/calls", mail("both"));
    await post(other, `/inbox/${await inboxIdOf(other, body.executionId)}/approve`);
    for (const server of [one, other])
      expect(await endOf(server, body.executionId)).toMatchObject({ state: "ok", records: 1 });
    expect([...one.world.ran, ...other.world.ran]).toEqual(["mail both"]);
  } finally {
    await one.end();
    await other.end();
  }
});

test("of what one of two servers did, the other does not tell that it could not", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "left-")), "rig.db");
  const one = await served({ file });
  const other = await served({ file });
  try {
    const key = { "idempotency-key": "same" };
    const made = post(one, "/calls", { name: "pay_later" }, key);
    await expect.poll(() => one.world.ran).toEqual(["pay_later"]);
    const refused = await post(other, "/calls", { name: "pay_later" }, key);
    expect(refused.body.failure.code).toBe("TOOL_UNAVAILABLE");
    one.world.release();
    const { executionId } = (await made).body;
    for (const server of [one, other])
      await expect
        .poll(async () => (await server.ask(`/api/v1/calls/${executionId}`)).body)
        .toMatchObject({ state: "ok", result: { value: "paid" } });
    expect(other.world.ran).toEqual([]);
  } finally {
    await one.end();
    await other.end();
  }
});

describe("a call that was approved when the process that asked was gone", () => {
  /** Nobody comes back for it, as for a call whose process died. */
  async function stranded(server: Served, to: string): Promise<string> {
    const executionId = `exec_${to}`;
    const call = { id: "c", ...mail(to) };
    const asked = await server.rig.executor.call(call, { executionId, onWaiting: "return" });
    expect(asked.waiting?.kind).toBe("approval");
    await server.rig.approvals?.approve(executionId, { by: { id: "boss" } });
    return executionId;
  }

  test("is in the inbox as approved, and runs once on a button", async () => {
    const server = await served();
    const executionId = await stranded(server, "ann");
    const item = async () =>
      (await server.ask("/api/v1/inbox")).body.items.find(
        (each: { executionId: string }) => each.executionId === executionId,
      );
    await expect
      .poll(item)
      .toMatchObject({ kind: "approval", approved: { by: "boss" }, may: { answer: true } });
    const { id } = await item();
    expect((await post(server, `/inbox/${id}/run`, {})).status).toBe(204);
    await expect.poll(() => server.world.ran).toEqual(["mail ann"]);
    await expect.poll(item).toBeUndefined();
    expect((await post(server, `/inbox/${id}/run`, {})).status).toBe(404);
    expect(server.world.ran).toEqual(["mail ann"]);
    await server.end();
  });

  test("runs by itself where the server is told to run such calls", async () => {
    const server = await served({ runApproved: true });
    await stranded(server, "bob");
    await expect.poll(() => server.world.ran).toEqual(["mail bob"]);
    await server.end();
  });
});
