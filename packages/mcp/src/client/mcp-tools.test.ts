import { type ApprovalRequest, Executor, Registry } from "@toolrig/core";
import { afterEach, expect, test } from "vitest";
import { connectMcp, type Mcp, mcpTools } from "../index.ts";

/** The least that a server of the 2025 era can be. */
const SERVER = `
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
  else if (method === "tools/list") send({ id, result: { tools: [{ name: "ping", inputSchema: { type: "object" } }] } });
  else if (method === "tools/call") send({ id, result: { content: [{ type: "text", text: "pong" }] } });
  else if (id !== undefined) send({ id, error: { code: -32601, message: "no" } });
});`;
const server = { command: process.execPath, args: ["-e", SERVER.replaceAll("\n", " ")] };

let mcp: Mcp;
const asked: ApprovalRequest[] = [];
let approves = true;

async function start() {
  asked.length = 0;
  approves = true;
  const registry = new Registry();
  mcp = connectMcp({ registry }, { servers: { known: server } });
  for (const each of mcpTools(mcp)) registry.add(each, { provider: "mcp", protected: true });
  const executor = new Executor({
    tools: registry,
    approve: (request) => {
      asked.push(request);
      return approves ? { approved: true } : { approved: false, reason: "no" };
    },
  });
  await mcp.ready;
  return (name: string, args: unknown = {}) => executor.call({ id: "call_1", name, arguments: args });
}
afterEach(() => mcp.close());

test("a model connects by name what the operator configured, without asking", async () => {
  const call = await start();
  expect((await call("known__ping")).value).toBe("pong");
  await call("mcp_disconnect", { name: "known" });
  expect((await call("known__ping")).failure?.code).toBe("TOOL_NOT_FOUND");
  expect((await call("mcp_list")).value).toMatchObject({
    connections: [{ name: "known", state: "disabled" }],
  });
  const again = await call("mcp_connect", { name: "known" });
  expect(again.value).toMatchObject({ state: "ready", tools: ["known__ping"] });
  expect(asked).toEqual([]);
  expect((await call("known__ping")).value).toBe("pong");
});

test("anything else needs approval of the whole command", async () => {
  const call = await start();
  const other = { name: "other", ...server };
  approves = false;
  expect((await call("mcp_connect", other)).failure?.code).toBe("TOOL_APPROVAL_REJECTED");
  expect(mcp.list().map(({ name }) => name)).toEqual(["known"]);
  approves = true;
  expect((await call("mcp_connect", other)).value).toMatchObject({ state: "ready", tools: ["other__ping"] });
  expect(asked.map(({ args }) => args)).toEqual([other, other]);
});

test("what cannot be seen is not approved, and an operator's name is not taken", async () => {
  const call = await start();
  const hidden = await call("mcp_connect", { name: "x", command: "node\u202e", args: [] });
  expect(hidden.failure?.kind).toBe("validation");
  const taken = await call("mcp_connect", { name: "known", command: "true" });
  expect(taken.failure?.message).toContain("choose another name");
  const unknown = await call("mcp_connect", { name: "knwn" });
  expect(unknown.failure?.message).toContain("Did you mean known?");
});
