import { type CallRecord, type Duration, Executor, tool } from "@toolrig/core";
import { afterEach, expect, test } from "vitest";
import { type ServedHttp, serve } from "../index.ts";

const ping = tool({
  name: "ping",
  description: "Answer",
  input: { type: "object" },
  safety: { sideEffects: "none", idempotent: true },
  execute: () => "pong",
});

let http: ServedHttp;
afterEach(() => http.close(0));

/** A server whose records are written when `write` is called, and not before. */
async function served(queueTimeout: Duration) {
  const gate = Promise.withResolvers<void>();
  const written: CallRecord[] = [];
  const store = async (records: readonly CallRecord[]) => {
    await gate.promise;
    written.push(...records);
  };
  const executor = new Executor({ tools: [ping], store: { store } });
  const { tools, events, waits } = executor;
  const rig = {
    executor,
    tools,
    events,
    waits,
    call: executor.call.bind(executor),
    batch: executor.batch.bind(executor),
    close: async () => {},
  };
  http = await serve(rig, { port: 0, console: false, mcp: false, limits: { queueTimeout } });
  const call = (onWaiting: "hold" | "return" = "return") =>
    fetch(`${http.url}/api/v1/calls`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "ping", onWaiting }),
    });
  const calls = Array.from({ length: 2_001 }, (_, index) => ({ id: String(index), name: "ping" }));
  await executor.batch(calls);
  return { executor, call, written, write: gate.resolve };
}

test("no call is begun while more wait to be recorded than there is room for", async () => {
  const { executor, call, written, write } = await served("10ms");
  expect(executor.unrecorded).toBe(2_001);
  for (const onWaiting of ["return", "hold"] as const) {
    const refused = await call(onWaiting);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  }
  write();
  await executor.flush();
  expect((await call()).status).toBe(200);
  await executor.flush();
  expect([written.length, executor.unrecorded, executor.health().recordsDropped]).toEqual([2_002, 0, 0]);
});

test("calls that wait for that go on once records have been written", async () => {
  const { call, write } = await served("60s");
  const waiting = [call(), call("hold"), call(), call("hold")];
  write();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});
