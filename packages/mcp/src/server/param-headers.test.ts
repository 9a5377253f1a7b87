import { Executor, type JsonSchema, tool } from "@toolrig/core";
import { afterAll, expect, test } from "vitest";
import { mcpServer } from "./mcp-server.ts";

const ran: unknown[] = [];
const route = tool({
  name: "route",
  description: "Route",
  input: {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      at: { type: "object", properties: { shard: { type: "integer", "x-mcp-header": "Shard" } } },
    },
  } as JsonSchema,
  safety: { sideEffects: "none", idempotent: true },
  execute(args) {
    ran.push(args);
    return "routed";
  },
});
const served = mcpServer({ executor: new Executor({ tools: [route] }) });
afterAll(() => served.close());

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function call(args: unknown, given: Record<string, string>) {
  const params = { name: "route", arguments: args, _meta: META };
  const response = await served.fetch(
    new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "route",
        ...given,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params }),
    }),
  );
  return { status: response.status, body: await response.json() };
}

const base64 = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;

test.each([
  ["says something else", { region: "us" }, { "mcp-param-region": "eu" }, "says something else"],
  ["is missing", { region: "us" }, {}, "is missing"],
  ["is no Base64", { region: "us" }, { "mcp-param-region": "=?base64?u!?=" }, "is no Base64"],
  [
    "is of a nested parameter and says something else",
    { at: { shard: 2 } },
    { "mcp-param-shard": "3" },
    "says something",
  ],
])("a header that %s is refused, also behind a call that was accepted", async (_, args, headers, problem) => {
  ran.length = 0;
  expect(await call({ region: "us" }, { "mcp-param-region": "us" })).toMatchObject({ status: 200 });
  const { status, body } = await call(args, headers);
  expect({ status, body }).toMatchObject({ status: 400, body: { id: 7, error: { code: -32_020 } } });
  expect(JSON.stringify(body)).toContain(problem);
  expect(ran).toHaveLength(1);
});

test("headers that say the same, and parameters that are not given, are taken", async () => {
  const all = { region: "Zürich", at: { shard: 2 } };
  const taken = await call(all, { "mcp-param-region": base64("Zürich"), "mcp-param-shard": "2.0" });
  expect(taken).toMatchObject({ status: 200, body: { id: 7, result: { content: [{ text: "routed" }] } } });
  expect(await call({}, {})).toMatchObject({ status: 200 });
});
