import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Executor, tool } from "@toolrig/core";
import { openStore } from "@toolrig/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, served } from "../../test/served.ts";
import { TokenFile } from "../security/token-file.ts";
import type { CallLine, FeedMessage } from "../wire.ts";

let server: Served;
beforeAll(async () => {
  server = await served();
});
afterAll(() => server.end());

interface Reader {
  events: { id: string; event: string; data: FeedMessage }[];
  lines(): CallLine[];
  leave(): Promise<void>;
}

/** Reads the feed until it is told to leave. */
async function reader(after?: string): Promise<Reader> {
  const controller = new AbortController();
  const response = await fetch(`${server.url}/api/v1/events`, {
    headers: after === undefined ? {} : { "last-event-id": after },
    signal: controller.signal,
  });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const events: Reader["events"] = [];
  const reading = (async () => {
    let text = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const [, id = "", event = "", data = ""] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(part) ?? [];
        if (id !== "") events.push({ id, event, data: JSON.parse(data) as FeedMessage });
      }
    }
  })().catch(() => {});
  await expect.poll(() => events.length).toBeGreaterThan(0);
  return {
    events,
    lines: () => events.flatMap(({ data }) => data.calls ?? []),
    async leave() {
      controller.abort();
      await reading;
    },
  };
}

const add = (a: number) => server.rig.call({ id: `call_${a}`, name: "add", arguments: { a, b: 0 } });

test("who comes back with the last id gets exactly what they missed", async () => {
  const first = await reader();
  expect(first.events[0]?.event).toBe("open");
  await add(1);
  await expect
    .poll(() => first.lines().some(({ callId, state }) => callId === "call_1" && state === "ok"))
    .toBe(true);
  await first.leave();
  const last = first.events.at(-1)?.id;
  for (let n = 10; n < 40; n++) await add(n);
  const second = await reader(last);
  expect(second.events[0]?.event).toBe("open");
  await expect
    .poll(() => second.lines().filter(({ state }) => state === "ok").length)
    .toBeGreaterThanOrEqual(30);
  const ended = second.lines().filter(({ state }) => state === "ok");
  expect(new Set(ended.map(({ executionId }) => executionId)).size).toBe(ended.length);
  expect(ended.map(({ callId }) => callId)).toEqual(
    Array.from({ length: 30 }, (_, index) => `call_${index + 10}`),
  );
  await second.leave();
});

test("an id of another process, or one that is no longer kept, is a gap", async () => {
  for (const after of ["000000000000-3", "nonsense"]) {
    const late = await reader(after);
    expect(late.events[0]?.event).toBe("gap");
    await add(2);
    await expect.poll(() => late.lines().length).toBeGreaterThan(0);
    await late.leave();
  }
});

test("10,000 calls at once are few messages, and what is left out is counted", async () => {
  const watching = await reader();
  const began = performance.now();
  const count = 10_000;
  for (let done = 0; done < count; done += 500)
    await Promise.all(Array.from({ length: 500 }, (_, index) => add(100 + done + index)));
  const told = () =>
    watching.lines().filter(({ endedAt }) => endedAt !== undefined).length +
    watching.events.reduce((sum, { data }) => sum + (data.more ?? 0), 0);
  await expect.poll(told).toBe(count);
  const seconds = (performance.now() - began) / 1_000;
  expect(watching.events.length).toBeLessThanOrEqual(10 * seconds + 5);
  for (const { data } of watching.events) expect((data.calls ?? []).length).toBeLessThanOrEqual(4_000);
  await watching.leave();
});

test("calls of another process on the same store are told of once, own ones not again", async () => {
  const watching = await reader();
  const other = openStore(server.store.path);
  const ping = tool({
    name: "ping",
    description: "Answer",
    input: { type: "object" },
    execute: () => "pong",
  });
  const executor = new Executor({ tools: [ping], store: other.records });
  await executor.call({ id: "elsewhere", name: "ping" });
  await add(7);
  await executor.drain();
  await expect.poll(() => watching.lines().filter(({ callId }) => callId === "elsewhere").length).toBe(1);
  // Long enough for the store to have been asked again.
  await add(8);
  await expect.poll(() => watching.lines().some(({ callId }) => callId === "call_8")).toBe(true);
  expect(watching.lines().filter(({ callId, state }) => callId === "call_7" && state === "ok")).toHaveLength(
    1,
  );
  other.close();
  await watching.leave();
});

test("what waits is counted, and secrets are not told", async () => {
  const watching = await reader();
  await server.rig.call(
    { id: "secret", name: "send_mail", arguments: { to: "ann", token: "hunter2hunter2" } },
    { onWaiting: "return" },
  );
  await expect
    .poll(() => watching.events.findLast(({ data }) => data.inbox !== undefined)?.data.inbox)
    .toBe(1);
  const line = watching.lines().findLast(({ callId }) => callId === "secret");
  expect(line).toMatchObject({ state: "waiting", waiting: { kind: "approval" } });
  expect(JSON.stringify(watching.events)).not.toContain("hunter2");
  await watching.leave();
});

test("a stream ends with the token that it was opened with; there are so many streams", async () => {
  const tokens = new TokenFile(join(mkdtempSync(join(tmpdir(), "tokens-")), "tokens.json"));
  const { token, kept } = tokens.add("ann", ["read", "call"]);
  const strict = await served({ tokens, limits: { streams: 1 } });
  const headers = { authorization: `Bearer ${token}` };
  const open = () => fetch(`${strict.url}/api/v1/events`, { headers });
  const stream = await open();
  expect((await open()).status).toBe(503);
  tokens.revoke(kept.id);
  expect(await stream.text()).toContain("event: open");
  await strict.end();
});

test("ids and names are told without secrets", async () => {
  const key = `sk_live_${"Ab3".repeat(8)}`;
  const own = await reader();
  await server.rig.call({ id: `call ${key}`, name: `add ${key}`, arguments: {} });
  await expect.poll(() => own.lines().some(({ callId }) => callId === "call [redacted]")).toBe(true);
  expect(JSON.stringify(own.events)).not.toContain(key);
  await own.leave();
});
