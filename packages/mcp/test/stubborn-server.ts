/** An MCP server of 2025-11-25 over stdio that answers as badly as the mode says which it is started with. */
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

const [mode] = process.argv.slice(2);
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true, listChanged: true } };
const serverInfo = { name: "stubborn", version: "1.0.0" };
const answers: Record<string, object> = {
  initialize: { protocolVersion: "2025-11-25", serverInfo, capabilities },
  "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
  "prompts/list": { prompts: mode === "long-prompt" ? [{ name: "long" }] : [] },
  "prompts/get": {
    messages: [
      { role: "user", content: { type: "text", text: `begin ${"x".repeat(60_000)}` } },
      { role: "assistant", content: { type: "text", text: `${"y".repeat(60_000)} end` } },
      {
        role: "user",
        content: { type: "resource", resource: { uri: "memory://gone", blob: "A".repeat(80_000) } },
      },
    ],
  },
  "resources/list": { resources: [{ uri: "memory://a", name: "a" }] },
  "resources/templates/list": { resourceTemplates: [] },
};

async function answer(method: string): Promise<object | undefined> {
  if (mode === "silent-prompts" && method === "prompts/list") return undefined;
  if (mode === "silent-subscribe" && method === "resources/subscribe") return undefined;
  if (mode === "restless" && method === "tools/list") await pause(1_000);
  return answers[method] ?? {};
}

// The client waits a tenth of a second for more of these before it believes one.
if (mode === "restless") setInterval(() => send({ method: "notifications/resources/list_changed" }), 150);

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method } = JSON.parse(line) as { id?: unknown; method: string };
  if (id === undefined) return;
  const result = await answer(method);
  if (result !== undefined) send({ id, result });
});
