import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, served, tokenOf } from "../../test/served.ts";
import { checkScope } from "./token.ts";

let server: Served;
beforeAll(async () => {
  server = await served({
    tokens: [
      tokenOf("named", "tools:local"),
      tokenOf("add", "tools:add"),
      tokenOf("whole", "provider:local"),
      tokenOf("ann", "call"),
      tokenOf("bob", "call"),
    ],
  });
});
afterAll(() => server.end());

const PAY = { name: "pay", arguments: { amount: 1 } };

async function mcp(as: string, method: string, params: object = {}): Promise<string> {
  const version = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const response = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${as}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": version,
      "mcp-method": method,
      ...("name" in params && { "mcp-name": String(params.name) }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
  });
  return response.text();
}

test.each(["named", "add"])("a token for tools opens no provider: %s", async (as) => {
  const before = server.world.ran.length;
  const one = await server.ask("/api/v1/calls", { method: "POST", as, body: PAY });
  expect(one.body.failure.code).toBe("TOOL_NOT_FOUND");
  const batch = await server.ask("/api/v1/calls/batch", { method: "POST", as, body: { calls: [PAY] } });
  expect(batch.body.results[0].failure.code).toBe("TOOL_NOT_FOUND");
  expect(await mcp(as, "tools/call", PAY)).not.toContain("paid");
  expect(server.world.ran).toHaveLength(before);
  const { body } = await server.ask("/api/v1/tools", { as });
  expect(body.items.map(({ name }: { name: string }) => name)).toEqual(as === "add" ? ["add"] : []);
  expect(await mcp(as, "tools/list")).not.toContain('"pay"');
});

test("a token for a provider opens that, over HTTP and MCP", async () => {
  const one = await server.ask("/api/v1/calls", { method: "POST", as: "whole", body: PAY });
  expect(one.body.value).toBe("paid 1");
  expect(await mcp("whole", "tools/call", PAY)).toContain("paid 1");
  expect(await mcp("whole", "tools/list")).toContain('"pay"');
});

test("a token may be for the provider of an MCP server, whose name has a colon", () => {
  for (const scope of ["provider:mcp:files", "provider:mcp:files/read_file"])
    expect(checkScope("scope", scope)).toBe(scope);
  for (const scope of ["provider:", "provider:a b", "tools:tool:add", "tools:"])
    expect(() => checkScope("scope", scope)).toThrow("must be one of");
});

test.each([
  ["ann", { name: "echo", arguments: { text: "hunter2hunter2" }, async: true }],
  ["ann", { name: "build", async: true }],
  ["add", { name: "add", arguments: { a: 1, b: 2 }, async: true }],
])("who may only call learns what became of their own calls, and of no others: %s, %j", async (as, body) => {
  const sent = await server.ask("/api/v1/calls", { method: "POST", as, body });
  const path = sent.headers.get("location") ?? "";
  const stands = async (who: string) => server.ask(path, { as: who });
  await expect.poll(async () => (await stands(as)).body.state).not.toBe("running");
  expect((await stands(as)).body.state).toBe(body.name === "build" ? "waiting" : "ok");
  expect((await stands("bob")).status).toBe(404);
  expect((await server.ask(`${path}/events`, { as: "bob" })).status).toBe(404);
  expect((await server.ask(path.slice(0, -4), { as })).status).toBe(404);
  expect((await server.ask(`${path}/story`, { as })).status).toBe(403);
  if (body.name === "build") return;
  expect((await server.ask(`${path}/events`, { as })).body).toContain("event: call.end");
});
