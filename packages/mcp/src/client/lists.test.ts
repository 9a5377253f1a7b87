import { fileURLToPath } from "node:url";
import { Registry } from "@toolrig/core";
import { afterEach, expect, test } from "vitest";
import { connectMcp, type Mcp } from "./connect-mcp.ts";

/** Servers whose lists never end, or never come. */
const STUBBORN = fileURLToPath(new URL("../../test/stubborn-server.ts", import.meta.url));

let open: Mcp | undefined;
afterEach(() => open?.close());

function connected(mode: string) {
  const registry = new Registry();
  const server = { command: process.execPath, args: [STUBBORN, mode], era: "2025", connectTimeout: "5m" };
  open = connectMcp({ registry }, { servers: { it: server as never } });
  return { registry, mcp: open };
}

test("a server that never lists its prompts has its tools nevertheless", async () => {
  const { registry, mcp } = connected("silent-prompts");
  await mcp.ready;
  expect(mcp.get("it")).toMatchObject({ state: "ready", tools: ["it__echo"] });
  expect(registry.get("it__echo")).toBeDefined();
  expect(mcp.offers.list()).toMatchObject([{ connection: "it", prompts: [], resources: [] }]);
});

test("a server that says its lists change faster than they are read is ready nevertheless", async () => {
  const { mcp } = connected("restless");
  await mcp.ready;
  expect(mcp.get("it")).toMatchObject({ state: "ready", tools: ["it__echo"] });
  await mcp.refresh("it");
});
