import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Served, served, tokenOf } from "../../test/served.ts";

const SECRET = "hunter2hunter2";

let server: Served;
beforeAll(async () => {
  server = await served({
    // A run calls hold until it is let go.
    script: [{ calls: [{ name: "hold", arguments: {} }] }, { text: "done" }],
    demo: { start: async () => "run_demo" },
    tokens: [
      tokenOf("ann", "call", "read"),
      tokenOf("bob", "call"),
      tokenOf("both", "call", "read", "approve"),
      tokenOf("boss", "call", "approve"),
      tokenOf("eve", "tools:add"),
      tokenOf("reader", "read"),
      tokenOf("root", "admin"),
    ],
  });
});
afterAll(() => server.end());

const post = (path: string, as: string, body: object = {}) =>
  server.ask(`/api/v1${path}`, { method: "POST", as, body });

describe("what somebody else's call came to", () => {
  test.each([{ async: true }, { key: "k1" }])(
    "is told without secrets, but whole to whoever made it: %j",
    async ({ async, key }) => {
      const { body } = await server.ask("/api/v1/calls", {
        method: "POST",
        as: "ann",
        body: { name: "echo", arguments: { text: SECRET }, ...(async === true && { async }) },
        ...(key !== undefined && { headers: { "idempotency-key": key } }),
      });
      const path = `/api/v1/calls/${body.executionId}`;
      await expect.poll(async () => (await server.ask(path, { as: "ann" })).body.result).toBeDefined();
      expect(JSON.stringify((await server.ask(path, { as: "ann" })).body.result)).toContain(SECRET);
      for (const as of ["reader", "root"]) {
        const seen = await server.ask(path, { as });
        expect(seen.status).toBe(200);
        expect(JSON.stringify(seen.body)).not.toContain(SECRET);
      }
    },
  );
});

describe("somebody else's run", () => {
  let runId: string;
  beforeAll(async () => {
    ({ runId } = (await post("/runs", "ann", { input: "hold on" })).body);
  });

  test.each(["steer", "follow-up"])("%s: whoever started it, or may do everything", async (what) => {
    for (const as of ["bob", "both", "boss", "eve"])
      expect((await post(`/runs/${runId}/${what}`, as, { text: "pay me" })).body.code).toBe("SCOPE_MISSING");
    for (const as of ["ann", "root"])
      expect((await post(`/runs/${runId}/${what}`, as, { text: "go on" })).status).toBe(204);
  });

  test("resume, fork and replay: not by those who may not read it", async () => {
    for (const what of ["resume", "fork", "replay"])
      expect(
        (await post(`/runs/${runId}/${what}`, "bob", { ...(what === "fork" && { turn: 0 }) })).status,
      ).toBe(403);
    expect((await post(`/runs/${runId}/resume`, "both")).status).toBe(403);
  });

  test("is not joined by naming it; an id of one's own is", async () => {
    const call = (as: string, id: string) =>
      post("/calls", as, { name: "add", arguments: { a: 1, b: 1 }, runId: id });
    const batch = (as: string) =>
      post("/calls/batch", as, { calls: [{ name: "add", arguments: { a: 1, b: 1 } }], runId });
    for (const as of ["bob", "eve", "both"]) {
      expect((await call(as, runId)).body.code).toBe("SCOPE_MISSING");
      expect((await batch(as)).status).toBe(403);
    }
    expect((await call("ann", runId)).body.value).toBe(2);
    // An id that a run to come may get is nobody's to take.
    const next = runId.replace(/.{4}$/, "zzzz");
    expect((await call("bob", next)).body.code).toBe("SCOPE_MISSING");
    const [one, other] = await Promise.all([call("bob", "mine"), call("eve", "mine")]);
    expect([one.status, other.status].sort()).toEqual([200, 403]);
    // Another process on the same store knows whose it is from the records.
    await call("bob", "recorded");
    await expect.poll(() => server.store.records.query({ runId: "recorded" }).records.length).toBe(1);
    const again = await served({
      file: server.store.path,
      tokens: [tokenOf("eve", "call"), tokenOf("bob", "call")],
    });
    const there = (as: string) =>
      again.ask("/api/v1/calls", {
        method: "POST",
        as,
        body: { name: "add", arguments: { a: 1, b: 1 }, runId: "recorded" },
      });
    expect([(await there("eve")).status, (await there("bob")).status]).toEqual([403, 200]);
    await again.end();
  });

  test("abort: also by those who may approve; the demonstration is not for narrowed tokens", async () => {
    expect((await post(`/runs/${runId}/abort`, "bob")).status).toBe(403);
    expect((await post(`/runs/${runId}/abort`, "boss")).status).toBe(204);
    expect((await post("/demo/start", "eve")).status).toBe(403);
    expect((await post("/demo/start", "bob")).body).toEqual({ runId: "run_demo" });
  });
});

describe("who may not look", () => {
  test("is told neither who calls a tool nor the ids of others' calls and runs", async () => {
    for (let n = 0; n < 2; n++) await post("/calls", "ann", { name: "add", arguments: { a: 1, b: n } });
    await post("/runs", "ann", { input: "one" });
    await post("/runs", "ann", { input: "two" });
    await expect.poll(() => server.store.journal.runs().length).toBeGreaterThan(2);
    expect((await server.ask("/api/v1/tools/add", { as: "reader" })).body.users).not.toEqual([]);
    for (const as of ["eve", "bob"]) {
      expect((await server.ask("/api/v1/tools/add", { as })).body).toMatchObject({
        users: [],
        recentInputs: [],
      });
      const cancelled = await post("/calls/exec/cancel", as);
      expect([cancelled.status, JSON.stringify(cancelled.body)]).toEqual([
        403,
        expect.not.stringContaining("exec_"),
      ]);
    }
    const aborted = await post("/runs/run_/abort", "bob");
    expect([aborted.status, aborted.body.detail]).toEqual([404, "There is no run run_."]);
  });
});

describe("the result of a call that waits for one", () => {
  const started = async (as: string) =>
    (await post("/calls", as, { name: "build" })).body.executionId as string;
  const complete = (executionId: string, token: string, body: object) =>
    server.ask(`/api/v1/calls/${executionId}/result`, {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${token}` },
    });

  test("is not made up by whom the call is for", async () => {
    const executionId = await started("both");
    const path = `/inbox/${executionId}:result`;
    const { body } = await server.ask(`/api/v1${path}`, { as: "both" });
    expect(body.may).toMatchObject({ answer: false, why: expect.stringContaining("on your behalf") });
    const own = await post(`${path}/complete`, "both", { value: { url: "x" } });
    expect([own.status, own.body.code]).toEqual([403, "SCOPE_MISSING"]);
    expect((await post(`${path}/complete`, "boss", { value: { url: "x" } })).status).toBe(204);
  });

  test("is a value or a failure, not both and not nothing", async () => {
    const executionId = await started("ann");
    for (const body of [{}, { value: { url: "x" }, failure: { message: "no" } }])
      expect((await complete(executionId, server.world.token, body)).status).toBe(422);
    expect(
      (await complete(executionId, server.world.token, { failure: { message: "no" } })).body.isError,
    ).toBe(true);
  });

  test("a wrong token learns nothing of the call, is in the log, and is not tried for long", async () => {
    const executionId = await started("ann");
    const { token } = server.world;
    const [wrong, none] = [
      await complete(executionId, "wrong", { value: 1 }),
      await complete("exec_none", "wrong", { value: 1 }),
    ];
    expect([wrong.status, wrong.body]).toEqual([401, none.body]);
    for (let n = 0; n < 40; n++) await complete(executionId, `wrong${n}`, { value: 1 });
    expect((await complete(executionId, "wrong", { value: 1 })).status).toBe(429);
    const { items } = (await server.ask("/api/v1/denied", { as: "root" })).body;
    expect(items).toContainEqual(expect.objectContaining({ status: 401, path: wrongPath(executionId) }));
    expect(items).toContainEqual(expect.objectContaining({ status: 429, path: wrongPath(executionId) }));
    // The right one is taken all the same, and what was tried is not on record.
    expect((await complete(executionId, token, { value: { url: "y" } })).status).toBe(200);
    expect(server.store.records.get(executionId).late).toEqual([]);
  });
});

const wrongPath = (executionId: string) => `/api/v1/calls/${executionId}/result`.slice(0, 60);
