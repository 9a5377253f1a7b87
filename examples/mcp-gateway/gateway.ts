/**
 * The gateway, as an MCP client starts it: `node gateway.ts FOLDER` serves that client over stdio. With `--http` behind it, all that
 * come to the printed address are served.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { mcpServer } from "@toolrig/mcp";
import { rig } from "toolrig";

const [folder = ".", http] = process.argv.slice(2);
const program = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"));

const gateway = rig({
  mcp: { servers: { files: { command: process.execPath, args: [program, folder] } } },
  policy: {
    profile: "open",
    rules: [
      { name: "writing", when: { tool: "files__write_file" }, verdict: "ask", reason: "it changes a file" },
    ],
  },
  store: ":memory:",
});
await gateway.mcp?.ready;

const served = mcpServer(gateway, {
  name: "gateway",
  version: "1.0.0",
  // What clients see of the server's tools, and whose answers to questions count.
  views: {
    desk: {
      allow: ["provider:mcp:files/files__read_text_file", "provider:mcp:files/files__write_file"],
      approver: { id: "ada" },
    },
  },
  view: "desk",
});
if (http === "--http") {
  const server = createServer(served.node).listen(0, "127.0.0.1", () =>
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
  );
} else {
  await served.stdio(); // until the client leaves
  await gateway.close();
}
