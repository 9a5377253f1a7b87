import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { served } from "../../test/served.ts";

test("what a call waits for is not how long its tool takes", async () => {
  const server = await served();
  const post = (path: string, body = {}) => server.ask(`/api/v1${path}`, { method: "POST", body });
  const call = post("/calls", { name: "send_mail", arguments: { to: "ann" }, onWaiting: "hold" });
  const inbox = async () => (await server.ask("/api/v1/inbox")).body.items;
  await expect.poll(async () => (await inbox()).length).toBe(1);
  await sleep(200);
  await post(`/inbox/${encodeURIComponent((await inbox())[0].id)}/approve`);
  await call;
  const record = () => server.store.records.query({ tool: "send_mail" }).records[0];
  await expect.poll(record).toBeDefined();
  const { durationMs = 0, waitedMs = 0 } = record()?.result ?? {};
  expect(waitedMs).toBeGreaterThanOrEqual(190);
  const { p50Ms } = (await server.ask("/api/v1/tools/send_mail")).body.stats;
  const ownMs = Math.max(0.1, durationMs - waitedMs);
  expect(p50Ms / ownMs).toBeGreaterThan(0.8);
  expect(p50Ms / ownMs).toBeLessThan(1.25);
  await server.end();
});
