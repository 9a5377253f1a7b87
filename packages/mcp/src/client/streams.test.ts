import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Executor, Registry } from "@toolrig/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ConnectionOptions, connectMcp, type Mcp } from "../index.ts";

type Message = { id?: number; method: string };

const RESULTS: Record<string, object> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "s", version: "1" },
  },
  "tools/list": {
    tools: [{ name: "read", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
  },
  "tools/call": { content: [{ type: "text", text: "read" }] },
};

let calls: number;
/** What becomes of a call; otherwise it is answered. */
let onCall: ((response: ServerResponse) => void) | undefined;
let http: Server;
let mcp: Mcp;
let executor: Executor;

function serve(port = 0): Promise<unknown> {
  http = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method } = JSON.parse((await request.setEncoding("utf8").toArray()).join("")) as Message;
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "tools/call") calls += 1;
    if (method === "tools/call" && onCall !== undefined) return onCall(response);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: RESULTS[method] ?? {} }));
  });
  return once(http.listen(port, "127.0.0.1"), "listening");
}

async function connect(options: ConnectionOptions = {}): Promise<number> {
  const { port } = http.address() as AddressInfo;
  const registry = new Registry();
  executor = new Executor({ tools: registry });
  const s = { url: `http://127.0.0.1:${port}/mcp`, era: "2025", ...options } as const;
  mcp = connectMcp({ registry }, { servers: { s } });
  await mcp.ready;
  return port;
}

const call = () => executor.call({ id: "call_1", name: "s__read", arguments: {} });

/** As a process that dies: every connection is gone, and no other is taken. */
function die(): void {
  http.close();
  http.closeAllConnections();
}

function dieInStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(": begun\n\n", die);
}

beforeEach(async () => {
  calls = 0;
  onCall = undefined;
  await serve();
});
afterEach(async () => {
  await mcp.close();
  die();
});

test("a server that answers by a stream and dies in a call was noticed by its silence only", async () => {
  onCall = dieInStream;
  await connect();
  expect((await call()).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
  await expect.poll(() => mcp.get("s").state).toBe("away");
  expect(calls).toBe(1);
});

test("a call that may be repeated is sent to the server that took its place", async () => {
  const port = await connect({ trust: "annotations" });
  onCall = (response) => {
    onCall = undefined;
    http.once("close", () => void serve(port));
    dieInStream(response);
  };
  expect((await call()).value).toBe("read");
  expect(calls).toBe(2);
});

test("a stream that ends without its answer ends one call, and not the connection", async () => {
  onCall = (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end();
  await connect();
  expect((await call()).failure?.code).toBe("TOOL_OUTCOME_UNKNOWN");
  onCall = undefined;
  expect((await call()).value).toBe("read");
  expect(mcp.get("s").state).toBe("ready");
});
