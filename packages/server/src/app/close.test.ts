import { expect, test } from "vitest";
import { type Served, served } from "../../test/served.ts";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function mcpCall({ url }: Served, name: string, args: object = {}) {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args, _meta: META },
    }),
  });
  return { status: response.status, text: await response.text() };
}

const call = ({ ask }: Served, body: object) => ask("/api/v1/calls", { method: "POST", body });
const batch = ({ ask }: Served, ...names: string[]) =>
  ask("/api/v1/calls/batch", { method: "POST", body: { calls: names.map((name) => ({ name })) } });

async function running({ ask }: Served): Promise<{ executionId: string; name: string }[]> {
  return (await ask("/api/v1/calls?state=running")).body.items;
}

async function underWay(server: Served, count: number): Promise<string[]> {
  await expect.poll(async () => (await running(server)).length).toBe(count);
  return (await running(server)).map(({ executionId }) => executionId);
}

test("close lets calls over MCP and batches end, and takes no more", async () => {
  const server = await served();
  const [told, all] = [mcpCall(server, "hold"), batch(server, "hold", "hold")];
  await underWay(server, 3);
  const closed = server.close("60s");
  server.world.release();
  expect((await told).text).toContain("let go");
  const results: { isError: boolean }[] = (await all).body.results;
  expect(results.map(({ isError }) => isError)).toEqual([false, false]);
  await closed;
  await server.end();
});

test("close answers what it cancels: calls, batches, calls over MCP, and those that wait for a place", async () => {
  const server = await served({ limits: { calls: 4, queue: 1, queueTimeout: "60s" } });
  const one = call(server, { name: "hold" });
  const told = mcpCall(server, "hold");
  const all = batch(server, "hold", "hold");
  await underWay(server, 4);
  const more = [call(server, { name: "pay" }), call(server, { name: "pay" })];
  // When one is refused the other is in the queue.
  expect((await Promise.race(more)).status).toBe(503);
  await server.close(100);
  expect((await one).body.failure.code).toBe("TOOL_CANCELLED");
  expect((await told).text).toContain("cancelled");
  const results: { failure: { code: string } }[] = (await all).body.results;
  expect(results.map(({ failure }) => failure.code)).toEqual(["TOOL_CANCELLED", "TOOL_CANCELLED"]);
  const details: string[] = (await Promise.all(more)).map(({ body }) => body.detail);
  expect(details).toContain("The server is about to stop and takes no more calls.");
  expect(server.world.ran).toEqual([]);
  await server.end();
});

test("calls over MCP take the same places, and their messages are as large as other bodies", async () => {
  const server = await served({ limits: { calls: 1, queue: 0, body: 2_000 } });
  const told = mcpCall(server, "hold");
  const [executionId] = await underWay(server, 1);
  expect((await call(server, { name: "pay" })).status).toBe(503);
  expect((await mcpCall(server, "pay")).text).toContain("Nothing of this one was begun");
  expect(server.world.ran).toEqual([]);
  expect((await server.ask(`/api/v1/calls/${executionId}/cancel`, { method: "POST" })).status).toBe(204);
  expect((await told).text).toContain("cancelled");
  expect((await mcpCall(server, "pay", { amount: "x".repeat(2_000) })).status).toBe(413);
  expect((await mcpCall(server, "pay", { amount: 1 })).text).toContain("paid 1");
  await server.end();
});

test("a call is cancelled by its id, and one of a batch without the others", async () => {
  const server = await served();
  const one = call(server, { name: "hold" });
  const [single] = await underWay(server, 1);
  expect((await server.ask(`/api/v1/calls/${single}/cancel`, { method: "POST" })).status).toBe(204);
  expect((await one).body).toMatchObject({ executionId: single, failure: { code: "TOOL_CANCELLED" } });
  const all = batch(server, "hold", "hold");
  const [, second] = await underWay(server, 2);
  expect((await server.ask(`/api/v1/calls/${second}/cancel`, { method: "POST" })).status).toBe(204);
  // It is on record while the other goes on.
  await expect.poll(() => server.store.records.get(second ?? "").records.length).toBe(1);
  server.world.release();
  const results: { executionId: string; failure?: { code: string } }[] = (await all).body.results;
  for (const { executionId, failure } of results)
    expect(failure?.code).toBe(executionId === second ? "TOOL_CANCELLED" : undefined);
  await server.end();
});
