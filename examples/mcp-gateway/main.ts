/**
 * Somebody else's MCP server behind rules of your own.
 *
 *     npm run example mcp-gateway
 *
 * gateway.ts takes in the reference server for files and serves it again. This program is a client like any other, once over stdio
 * and once over HTTP: the SDK's own, with a person who says yes the first time. You see:
 *
 *     stdio offers files__read_text_file, files__write_file
 *       read_text_file: buy milk
 *       ? May files__write_file run with {"content":"buy bread","path":"…"}? …
 *       write_file: Successfully wrote to …
 *       move_file: ProtocolError: There is no tool "files__move_file": near it are files__write_file.
 *     http offers files__read_text_file, files__write_file
 *       read_text_file: buy bread
 *       ? May files__write_file run with {"content":"buy bread","path":"…"}? …
 *       write_file: Error (TOOL_APPROVAL_REJECTED): files__write_file did not run: …
 *       move_file: ProtocolError: There is no tool "files__move_file": near it are files__write_file.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const folder = mkdtempSync(join(tmpdir(), "notes-"));
const path = join(folder, "note.txt");
writeFileSync(path, "buy milk");
const gateway = [...process.execArgv, join(import.meta.dirname, "gateway.ts"), folder];

await tryOut("stdio", new StdioClientTransport({ command: process.execPath, args: gateway }), true);

const server = spawn(process.execPath, [...gateway, "--http"], { stdio: ["ignore", "pipe", "inherit"] });
const [address] = await once(server.stdout, "data");
await tryOut("http", new StreamableHTTPClientTransport(new URL(String(address).trim())), false);
server.kill();
rmSync(folder, { recursive: true });

async function tryOut(how: string, transport: Transport, approve: boolean): Promise<void> {
  const client = new Client(
    { name: "desk", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => {
    console.log(`  ? ${params.message}`);
    return { action: "accept", content: { approve } };
  });
  await client.connect(transport);
  const { tools } = await client.listTools();
  console.log(how, "offers", tools.map(({ name }) => name).join(", "));
  for (const [name, args] of [
    ["read_text_file", { path }],
    ["write_file", { path, content: "buy bread" }],
    ["move_file", { source: path, destination: `${path}.old` }],
  ] as const) {
    const answer = await client.callTool({ name: `files__${name}`, arguments: args }).catch(String);
    console.log(`  ${name}: ${typeof answer === "string" ? answer : textIn(answer)}`);
  }
  await client.close();
}

function textIn({ content }: Awaited<ReturnType<Client["callTool"]>>): string {
  return content.map((part) => (part.type === "text" ? part.text.split("\n")[0] : `[${part.type}]`)).join();
}
