import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Executor, Registry } from "@toolrig/core";
import { afterEach, expect, test } from "vitest";
import { connectMcp, mcpServer } from "./index.ts";

const STUBBORN = fileURLToPath(new URL("../test/stubborn-server.ts", import.meta.url));

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function clientOf(modes: Record<string, string>): Promise<Client> {
  const registry = new Registry();
  const servers = Object.fromEntries(
    Object.entries(modes).map(([name, mode]) => [
      name,
      { command: process.execPath, args: [STUBBORN, mode], era: "2025" as const },
    ]),
  );
  const mcp = connectMcp({ registry }, { servers });
  const served = mcpServer({ executor: new Executor({ tools: registry }), mcp });
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  open.push(mcp, served, client);
  await mcp.ready;
  const fetch = (at: URL | string, init?: RequestInit) => served.fetch(new Request(at, init));
  await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch }));
  return client;
}

test("a client listens to other servers beside one that never answers a subscription", async () => {
  const client = await clientOf({ good: "good", silent: "silent-subscribe" });
  const resourceSubscriptions = ["toolrig://mcp/good/memory://a", "toolrig://mcp/silent/memory://a"];
  const stream = await client.listen({ resourceSubscriptions }, { timeout: 30_000 });
  await stream.close();
});

test("a prompt over maxContent loses neither text nor bytes", async () => {
  const client = await clientOf({ it: "long-prompt" });
  const { messages } = await client.getPrompt({ name: "it__long" });
  const [text, link] = messages.map(({ content }) => content);
  const whole = (text as { text: string }).text;
  expect(whole).toContain(`begin ${"x".repeat(60_000)}\n${"y".repeat(60_000)} end`);
  const { contents } = await client.readResource({ uri: (link as { uri: string }).uri });
  expect(contents).toMatchObject([{ blob: "A".repeat(80_000) }]);
});
