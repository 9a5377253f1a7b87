/**
 * One MCP server in a process of its own: `node server.ts bare|toolrig|sqlite stdio|http TOOLS`. Its parent may ask over IPC what CPU
 * time it has had; over HTTP it says which port it has.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { mcpServer } from "@toolrig/mcp";
import { MemoryCallStore, rig, tool } from "toolrig";

const [kind = "", transport = "", tools = "1"] = process.argv.slice(2);

const schema = {
  type: "object",
  properties: { text: { type: "string" }, times: { type: "integer", minimum: 1 } },
  required: ["text"],
} as const;
const names = Array.from({ length: Number(tools) }, (_, index) => `echo_${index}`);
const description = "Say it again";

/** The SDK's own server, with the least that answers. */
function bare(): Server {
  const server = new Server({ name: "bare", version: "1" }, { capabilities: { tools: {} } });
  const listed = names.map((name) => ({ name, description, inputSchema: schema }));
  server.setRequestHandler("tools/list", () => ({ tools: listed as never }));
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text" as const, text: String(params.arguments?.text) }],
  }));
  return server;
}

/** A rig with a policy, the information-flow guard and records: in memory, or in SQLite. */
function toolrig() {
  const folder = mkdtempSync(join(tmpdir(), "bench-mcp-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const safety = { sideEffects: "read", idempotent: true } as const;
  return mcpServer(
    rig({
      tools: names.map((name) =>
        tool({ name, description, input: schema, safety, execute: ({ text }) => text }),
      ),
      store: kind === "sqlite" ? join(folder, "rig.db") : new MemoryCallStore(),
      policy: { profile: "standard" },
    }),
  );
}

process.on("message", () => process.send?.(process.cpuUsage()));
process.once("disconnect", () => process.exit(0));

if (transport === "stdio") {
  if (kind === "bare") serveStdio(bare);
  else void toolrig().stdio();
} else {
  const listener = kind === "bare" ? toNodeHandler(createMcpHandler(bare)) : toolrig().node;
  const server = createServer(listener as RequestListener);
  // The two servers take turns: a connection that rests meanwhile must not be closed under the next request.
  server.keepAliveTimeout = 120_000;
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}
