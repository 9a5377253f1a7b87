import { expect, test } from "vitest";
import { type Served, served, tokenOf } from "../../test/served.ts";
import type { ServerToken } from "../index.ts";

/** A server whose tokens can be changed. */
async function serving(...tokens: ServerToken[]): Promise<Served & { give(...tokens: ServerToken[]): void }> {
  let current: readonly ServerToken[] = tokens;
  const server = await served({
    tokens: { current: () => current },
    script: [{ calls: [{ name: "hold", arguments: {} }] }, { text: "done" }],
  });
  return Object.assign(server, {
    give(...given: ServerToken[]) {
      current = given;
    },
  });
}

const POST = (as: string, body: object, headers: Record<string, string> = {}) => ({
  method: "POST",
  as,
  body,
  headers,
});

const MCP_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

function callOverMcp({ url }: Served, as: string, name: string): Promise<string> {
  return fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${as}`,
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
      params: { name, arguments: {}, _meta: MCP_META },
    }),
  }).then(
    (response) => response.text(),
    (error: Error) => String(error),
  );
}

const isRunning = (server: Served, as: string, count: number) =>
  expect
    .poll(async () => (await server.ask("/api/v1/calls?state=running", { as })).body.items.length)
    .toBe(count);

test("calls under way over MCP end with their own token, and not when others come or go", async () => {
  const [ann, bob, root] = [tokenOf("ann", "call"), tokenOf("bob", "call"), tokenOf("root", "admin")];
  const server = await serving(ann, bob, root);
  const anns = callOverMcp(server, "ann", "hold");
  const bobs = callOverMcp(server, "bob", "hold");
  await isRunning(server, "root", 2);
  // Somebody new, and bob gone; ann's token has another expiry and another place.
  server.give(tokenOf("new", "read"), root, { ...ann, expiresAt: Date.now() + 1e9 });
  expect(await bobs).not.toContain("let go");
  expect(await callOverMcp(server, "ann", "ask_day")).not.toBe("");
  await isRunning(server, "root", 1);
  server.world.release();
  expect(await anns).toContain("let go");
  await server.end();
});

test("streams and held calls end with their token, without anything else happening", async () => {
  const [ann, root] = [tokenOf("ann", "call", "read"), tokenOf("root", "admin")];
  const server = await serving(ann, root);
  const { executionId } = (await server.ask("/api/v1/calls", POST("root", { name: "hold", async: true })))
    .body;
  const { runId } = (await server.ask("/api/v1/runs", POST("root", { input: "hold it" }))).body;
  await isRunning(server, "root", 2);
  const open = (path: string) =>
    fetch(`${server.url}/api/v1/${path}`, { headers: { authorization: "Bearer ann" } });
  const streams = await Promise.all(
    ["events", `calls/${executionId}/events`, `runs/${runId}/events`].map(open),
  );
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
  const held = { name: "ask_day", onWaiting: "hold" };
  const plain = server.ask("/api/v1/calls", POST("ann", held));
  const keyed = server.ask("/api/v1/calls", POST("ann", held, { "idempotency-key": "k" }));
  await expect
    .poll(async () => (await server.ask("/api/v1/inbox", { as: "root" })).body.items.length)
    .toBe(2);
  // Fewer scopes make it another token.
  server.give(tokenOf("ann", "call"), root);
  await Promise.all(streams.map((stream) => stream.text()));
  expect((await plain).body.failure.code).toBe("TOOL_CANCELLED");
  expect((await keyed).body.code).toBe("TOKEN_INVALID");
  // What goes on without its caller still waits.
  expect((await server.ask("/api/v1/inbox", { as: "root" })).body.items).toHaveLength(1);
  await server.end();
});

test("an expired token ends its stream", async () => {
  const server = await serving();
  const open = (lifeMs: number) => {
    server.give({ ...tokenOf("ann", "read"), expiresAt: Date.now() + lifeMs });
    return fetch(`${server.url}/api/v1/events`, { headers: { authorization: "Bearer ann" } });
  };
  let stream = await open(500);
  // On a busy machine a token can expire before it is read.
  for (let lifeMs = 1_000; stream.status === 401; lifeMs *= 2) stream = await open(lifeMs);
  expect(await stream.text()).toContain("event: open");
  await server.end();
});
