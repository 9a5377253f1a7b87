import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Served, served } from "../../test/served.ts";

let server: Served;
beforeAll(async () => {
  server = await served({
    script: [{ calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "three" }],
  });
});
afterAll(() => server.end());

const call = (body: object, headers: Record<string, string> = {}) =>
  server.ask("/api/v1/calls", { method: "POST", body, headers });

describe("calls", () => {
  test("a call that was made is 200, whatever came of it", async () => {
    const { status, body } = await call({ name: "add", arguments: { a: 1, b: 2 } });
    expect({ status, value: body.value }).toEqual({ status: 200, value: 3 });
    const failed = await call({ name: "fail", arguments: { why: "rain" } });
    expect(failed.status).toBe(200);
    expect(failed.body).toMatchObject({ isError: true, failure: { kind: "fatal" } });
    const unknown = await call({ name: "ad", arguments: {} });
    expect(unknown.body.failure.code).toBe("TOOL_NOT_FOUND");
  });

  test("a request that is no call is a problem that says where", async () => {
    const { status, body } = await call({ name: 7, argument: {} });
    expect(status).toBe(422);
    expect(body.code).toBe("REQUEST_INVALID");
    expect(body.issues.map(({ path }: { path: string }) => path)).toContain("/name");
    expect((await server.ask(body.type)).body.title).toBe(body.title);
  });

  test("one key and request is one execution; another request is refused, also after a restart", async () => {
    const key = { "idempotency-key": "pay-1" };
    const [one, two] = await Promise.all([
      call({ name: "pay", arguments: { amount: 5 } }, key),
      call({ name: "pay", arguments: { amount: 5 } }, key),
    ]);
    expect(one.body.executionId).toBe(two.body.executionId);
    expect(server.world.ran.filter((each) => each === "pay 5")).toHaveLength(1);
    expect(await call({ name: "pay", arguments: { amount: 6 } }, key)).toMatchObject({
      status: 422,
      body: { code: "IDEMPOTENCY_KEY_REUSED" },
    });
    const read = { "idempotency-key": "add-1" };
    await call({ name: "add", arguments: { a: 4, b: 4 } }, read);
    await expect
      .poll(() => server.store.records.query({ tool: "add" }).records[0]?.args)
      .toEqual({ a: 4, b: 4 });
    const again = await served({ file: server.store.path });
    try {
      const options = (body: object, headers: Record<string, string>) => ({ method: "POST", body, headers });
      const replayed = await again.ask(
        "/api/v1/calls",
        options({ name: "pay", arguments: { amount: 5 } }, key),
      );
      expect(replayed.body).toMatchObject({
        executionId: one.body.executionId,
        value: "paid 5",
        replayed: true,
      });
      const readAgain = await again.ask(
        "/api/v1/calls",
        options({ name: "add", arguments: { a: 4, b: 4 } }, read),
      );
      expect(readAgain.body).toMatchObject({ value: 8, replayed: true });
      expect(again.world.ran).toEqual([]);
      const other = await again.ask(
        "/api/v1/calls",
        options({ name: "add", arguments: { a: 4, b: 5 } }, read),
      );
      expect(other.status).toBe(422);
    } finally {
      await again.end();
    }
  });

  test("async: 202, events, polling, cancel", async () => {
    const started = await call({ name: "hold" }, { prefer: "respond-async" });
    expect(started.status).toBe(202);
    const { executionId } = started.body;
    const path = `/api/v1/calls/${executionId}`;
    expect(started.headers.get("location")).toBe(path);
    await expect.poll(async () => (await server.ask(path)).body.line?.note).toBe("holding");
    const events = await fetch(`${server.url}${path}/events`);
    const short = executionId.slice(-12);
    expect((await server.ask(`/api/v1/calls/${short}/story`)).body.line).toMatchObject({
      state: "running",
      progress: 0.5,
    });
    expect((await server.ask(`${path}/cancel`, { method: "POST" })).status).toBe(204);
    expect(await events.text()).toContain("event: call.end");
    await expect.poll(async () => (await server.ask(path)).body.result?.failure?.code).toBe("TOOL_CANCELLED");
    expect((await server.ask(`${path}/cancel`, { method: "POST" })).status).toBe(409);
  });

  test("a client that goes away without a key cancels its call", async () => {
    const controller = new AbortController();
    const gone = fetch(`${server.url}/api/v1/calls`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "hold", id: "goes_away" }),
      signal: controller.signal,
    });
    await expect
      .poll(async () => (await server.ask("/api/v1/calls?state=running")).body.items.length)
      .toBe(1);
    controller.abort();
    await expect(gone).rejects.toThrow();
    await expect
      .poll(() => server.store.records.query({ tool: "hold" }).records[0])
      .toMatchObject({ callId: "goes_away", result: { failure: { code: "TOOL_CANCELLED" } } });
  });

  test("a batch answers in order", async () => {
    const calls = [1, 2, 3].map((n) => ({ name: "add", arguments: { a: n, b: n } }));
    const { body } = await server.ask("/api/v1/calls/batch", { method: "POST", body: { calls } });
    expect(body.results.map(({ value }: { value: number }) => value)).toEqual([2, 4, 6]);
  });

  test("a deferred call is completed with its own token alone, once", async () => {
    const { status, body } = await call({ name: "build" });
    expect([status, body.state, body.result.waiting.kind]).toEqual([202, "waiting", "deferred"]);
    const path = `/api/v1/calls/${body.executionId}/result`;
    const both = { value: { url: "x" }, failure: { message: "it broke" } };
    const headers = { authorization: `Bearer ${server.world.token}` };
    expect((await server.ask(path, { method: "POST", body: both, headers })).status).toBe(422);
    const complete = (token: string, value: unknown) =>
      server.ask(path, { method: "POST", body: { value }, headers: { authorization: `Bearer ${token}` } });
    expect((await complete("wrong", { url: "x" })).status).toBe(401);
    expect((await complete(server.world.token, { no: "x" })).status).toBe(409);
    expect(await complete(server.world.token, { url: "https://x" })).toMatchObject({
      status: 200,
      body: { isError: false },
    });
    expect((await complete(server.world.token, { url: "https://x" })).status).toBe(409);
    const known = await server.ask(`/api/v1/calls/${body.executionId}`);
    expect(known.body.state).toBe("ok");
  });
});

describe("the inbox", () => {
  test("shows all that a decision needs; approve with other arguments, deny, answer", async () => {
    const asked = await call({
      name: "send_mail",
      arguments: { to: "ann@example.com", token: "hunter2hunter2" },
    });
    const id = `${asked.body.executionId}:approval`;
    const { body } = await server.ask("/api/v1/inbox");
    const item = body.items.find((each: { id: string }) => each.id === id);
    expect(item).toMatchObject({
      kind: "approval",
      name: "send_mail",
      may: { answer: true },
      args: { to: "ann@example.com" },
    });
    expect(JSON.stringify(item)).not.toContain("hunter2");
    expect(item.sentence).toMatch(/^http asks to call send_mail .* because /);
    const wrong = await server.ask(`/api/v1/inbox/${id}/approve`, { method: "POST", body: { args: {} } });
    expect(wrong.status).toBe(409);
    const approved = await server.ask(`/api/v1/inbox/${id}/approve`, {
      method: "POST",
      body: { args: { to: "bob@example.com" } },
    });
    expect(approved.status).toBe(204);
    const again = await call({ name: "send_mail", arguments: { to: "ann@example.com" } });
    const denied = await server.ask(`/api/v1/inbox/${again.body.executionId}:approval/deny`, {
      method: "POST",
      body: { reason: "no" },
    });
    expect(denied.status).toBe(204);
    expect((await server.ask(`/api/v1/inbox/${id}/deny`, { method: "POST" })).status).toBe(409);
    const question = await call({ name: "ask_day" });
    const { id: waitId } = question.body.result.waiting;
    const fits = (value: unknown) =>
      server.ask(`/api/v1/inbox/${encodeURIComponent(waitId)}/answer`, { method: "POST", body: { value } });
    expect((await fits("monday")).status).toBe(409);
    expect((await fits({ day: "monday" })).status).toBe(204);

    // Nobody came back for them, and each has its end.
    const endOf = async (executionId: string) =>
      (await server.ask(`/api/v1/calls/${executionId}`)).body as {
        state: string;
        result?: { value?: unknown };
      };
    await expect.poll(async () => (await endOf(asked.body.executionId)).state).toBe("ok");
    await expect.poll(async () => (await endOf(again.body.executionId)).state).toBe("failed");
    await expect.poll(async () => (await endOf(question.body.executionId)).state).toBe("ok");
  });
});

test("arguments that are edited keep the secrets that nobody was shown", async () => {
  const edited = async (args: object) => {
    const asked = await call({
      name: "send_mail",
      arguments: { to: "ann@example.com", token: "hunter2hunter2" },
    });
    const path = `/api/v1/inbox/${asked.body.executionId}:approval/approve`;
    return { ...(await server.ask(path, { method: "POST", body: { args } })), id: asked.body.executionId };
  };
  expect((await edited({ to: "[redacted]", token: "other" })).status).toBe(422);
  expect((await edited({ to: "x@example.com", token: "not [redacted]" })).status).toBe(422);
  const { status, id } = await edited({ to: "bob@example.com", token: "[redacted]" });
  expect(status).toBe(204);
  await expect.poll(() => server.world.ran).toContain("mail bob@example.com hunter2hunter2");
  expect(JSON.stringify((await server.ask(`/api/v1/calls/${id}/story`)).body)).not.toContain("hunter2");
});

test("a call that waits is found in the inbox by its own id, whole or shortened, and answered by it", async () => {
  const asked = await server.ask("/api/v1/calls", {
    method: "POST",
    body: { name: "send_mail", arguments: { to: "ann@example.com" } },
  });
  const { executionId } = asked.body;
  for (const id of [executionId, executionId.slice(-10), `${executionId}:approval`])
    expect((await server.ask(`/api/v1/inbox/${id}`)).body).toMatchObject({ executionId });
  const path = `/api/v1/inbox/${executionId}/deny`;
  expect((await server.ask(path, { method: "POST", body: {} })).status).toBe(204);
  expect((await server.ask(`/api/v1/inbox/${executionId}`)).status).toBe(404);
});

test("a call that reported effects which are none has a story like any other", async () => {
  const { body } = await server.ask("/api/v1/calls", { method: "POST", body: { name: "odd_effects" } });
  const story = await server.ask(`/api/v1/calls/${body.executionId}/story`);
  expect(story.status).toBe(200);
  expect(story.body.effects).toEqual(
    [null, { kind: "file" }].map((data) => ({
      sentence: "unreadable effect",
      effect: { type: "custom", name: "unreadable effect", data },
    })),
  );
});

test("what is offered to be typed for a call of no tool has what was written for it", async () => {
  const written = `{"q": "it's here"}`;
  const { body } = await server.ask("/api/v1/calls", {
    method: "POST",
    body: { name: "nope", arguments: written },
  });
  const story = await server.ask(`/api/v1/calls/${body.executionId}/story`);
  expect(story.body.commands).toContainEqual({
    label: "Call it again",
    command: `toolrig call nope '{"q": "it'\\''s here"}'`,
  });
});

describe("runs", () => {
  test("start, watch, read, fork", async () => {
    const { status, body } = await server.ask("/api/v1/runs", {
      method: "POST",
      body: { input: "Add one and two" },
    });
    expect(status).toBe(201);
    const path = `/api/v1/runs/${body.runId}`;
    await expect.poll(async () => (await server.ask(path)).body.line?.state).toBe("answered");
    await expect.poll(async () => (await server.ask(path)).body.line?.calls).toBe(1);
    const detail = (await server.ask(path)).body;
    expect(detail.turns[0].calls[0].line.name).toBe("add");
    expect(detail.transcript.map(({ role }: { role: string }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    const fork = await server.ask(`${path}/fork`, { method: "POST", body: { turn: 1 } });
    expect(fork.status).toBe(201);
    await expect.poll(async () => (await server.ask(path)).body.children?.length).toBe(1);
    const { items } = (await server.ask("/api/v1/runs?state=answered&q=one+and")).body;
    expect(items.length).toBeGreaterThan(0);
    expect((await server.ask(`${path}/steer`, { method: "POST", body: { text: "stop" } })).status).toBe(409);
  });
});

describe("what is kept", () => {
  test("records: pages, export, verify; failures by what they have in common", async () => {
    for (const why of ["file 1 is gone", "file 22 is gone"]) await call({ name: "fail", arguments: { why } });
    await expect.poll(() => server.store.records.query({ tool: "fail" }).records.length).toBeGreaterThan(1);
    const first = (await server.ask("/api/v1/records?limit=2")).body;
    const second = (await server.ask(`/api/v1/records?limit=2&cursor=${first.cursor}`)).body;
    expect(second.items[0].seq).toBe(first.items[1].seq - 1);
    const all = (await server.ask("/api/v1/records/export?tool=fail")).body.trim().split("\n");
    expect(all.map((line: string) => JSON.parse(line).name)).toEqual(all.map(() => "fail"));
    expect((await server.ask("/api/v1/records/verify")).body).toMatchObject({ intact: true, problems: [] });
    const { items } = (await server.ask("/api/v1/failures")).body;
    const group = items.find(({ message }: { message: string }) => message.includes("is gone"));
    expect(group).toMatchObject({ count: 2, blame: "tool", tool: "fail" });
  });

  test("artifacts are downloads that no browser runs; ranges", async () => {
    const { body } = await call({ name: "long_text" });
    const path = `/api/v1/artifacts/${body.artifact}`;
    const whole = await server.ask(path);
    expect(whole.headers.get("content-type")).toBe("application/octet-stream");
    expect(whole.headers.get("content-disposition")).toContain("attachment");
    expect(whole.headers.get("x-content-type-options")).toBe("nosniff");
    const part = await server.ask(path, { headers: { range: "bytes=8-13" } });
    expect([part.status, part.body]).toEqual([206, whole.body.slice(8, 14)]);
    const past = await server.ask(path, { headers: { range: "bytes=999999999-" } });
    expect([past.status, past.headers.get("content-range")]).toEqual([416, `bytes */${whole.body.length}`]);
  });

  test("tools: stats, definitions in the shapes of vendors, descriptions", async () => {
    const { items } = (await server.ask("/api/v1/tools?q=numbers")).body;
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ name: "add", safety: { declared: true } });
    expect(items[0].stats.calls).toBeGreaterThan(0);
    const { tools } = (await server.ask("/api/v1/definitions?shape=anthropic")).body;
    expect(tools[0]).toHaveProperty("input_schema");
    const path = "/api/v1/tools/add/description";
    const set = await server.ask(path, { method: "PUT", body: { description: "Sum two numbers" } });
    expect(set.body).toMatchObject({
      description: "Sum two numbers",
      own: "Add two numbers",
      overridden: true,
    });
    expect((await server.ask("/api/v1/tools/add")).body.recentInputs.length).toBeGreaterThan(0);
    expect((await server.ask(path, { method: "DELETE" })).body.description).toBe("Add two numbers");
  });
});
