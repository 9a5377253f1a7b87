/** An MCP server over stdio in the plainest form. Its tools are those of the JSON file it is given, read anew for every listing. */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , file = ""] = process.argv;

const RESULTS: Record<string, (params: { name?: string; arguments?: unknown }) => unknown> = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "plain", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: JSON.parse(readFileSync(file, "utf8")) }),
  "tools/call": ({ name, arguments: args }) => ({
    content: [{ type: "text", text: `${name} ${JSON.stringify(args)} ${process.env.SECRET ?? "no secret"}` }],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = RESULTS[method];
  const outcome =
    answer === undefined
      ? { error: { code: -32601, message: "Method not found" } }
      : { result: answer(params) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`);
}
