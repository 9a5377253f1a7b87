/**
 * One MCP server in a process of its own: `node server.ts KIND stdio|http TOOLS`. Its parent may ask over IPC what CPU time it has
 * had; over HTTP it says which port it has.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { mcpServer } from "@toolrig/mcp";
import { MemoryCallStore, type RigOptions, rig, tool } from "toolrig";
import { GATEWAY_PREFIX } from "./kind.ts";

const [kind = "", transport = "", tools = "1"] = process.argv.slice(2);

const schema = {
  type: "object",
  properties: { text: { type: "string" }, times: { type: "integer", minimum: 1 } },
  required: ["text"],
} as const;
const names = Array.from({ length: Number(tools) }, (_, index) => `echo_${index}`);
const description = "Say it again";
const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
/** What stands behind a gateway. */
const behind = {
  command: process.execPath,
  args: [join(import.meta.dirname, "server.ts"), "bare", "stdio", "1"],
};

/** The SDK's own server, with the least that answers. */
function bare(): Server {
  const server = new Server({ name: "bare", version: "1" }, { capabilities: { tools: {} } });
  const listed = names.map((name) => ({ name, description, inputSchema: schema, annotations }));
  server.setRequestHandler("tools/list", () => ({ tools: listed as never }));
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text" as const, text: String(params.arguments?.text) }],
  }));
  return server;
}

/** The least that passes calls on: the SDK's own client behind its own server. */
async function bareGateway(): Promise<() => Server> {
  const client = new Client(
    { name: "gateway", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await client.connect(new StdioClientTransport(behind));
  const { tools: listed } = await client.listTools();
  const offered = listed.map((each) => ({ ...each, name: GATEWAY_PREFIX + each.name }));
  return () => {
    const server = new Server({ name: "gateway", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools: offered }));
    server.setRequestHandler("tools/call", async ({ params: { name, arguments: args = {} } }) => {
      return (await client.callTool({ name: name.slice(GATEWAY_PREFIX.length), arguments: args })) as never;
    });
    return server;
  };
}

/** A rig with a policy, the information-flow guard and records: in SQLite, or in memory. A gateway's tools are another server's. */
async function toolrig() {
  const folder = mkdtempSync(join(tmpdir(), "bench-mcp-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const safety = { sideEffects: "read", idempotent: true } as const;
  const own: RigOptions =
    kind === "gateway"
      ? { mcp: { servers: { up: { ...behind, era: "2026", trust: "annotations" } } } }
      : {
          tools: names.map((name) =>
            tool({ name, description, input: schema, safety, execute: ({ text }) => text }),
          ),
        };
  const house = rig({
    ...own,
    store: kind === "memory" ? new MemoryCallStore() : join(folder, "rig.db"),
    policy: { profile: "standard" },
  });
  await house.mcp?.ready;
  return mcpServer(house);
}

process.on("message", () => process.send?.(process.cpuUsage()));
process.once("disconnect", () => process.exit(0));

const factory = kind === "bare" ? bare : kind === "bare gateway" ? await bareGateway() : undefined;
if (transport === "stdio") {
  if (factory !== undefined) serveStdio(factory);
  else void (await toolrig()).stdio();
} else {
  const listener = factory === undefined ? (await toolrig()).node : toNodeHandler(createMcpHandler(factory));
  const server = createServer(listener as RequestListener);
  // The two servers take turns: a connection that rests meanwhile must not be closed under the next request.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}
