import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Executor, result, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import { mcpServer } from "./mcp-server.ts";

const paper = tool({
  name: "paper",
  description: "Give a paper",
  input: { type: "object" },
  safety: { sideEffects: "read", idempotent: true },
  execute: () =>
    result({
      content: [
        { type: "resource", uri: "own:x", mimeType: "application/pdf", text: "[a paper]", data: "JVBERi0=" },
      ],
    }),
});

test("bytes of a resource that a tool reads are bytes, and only what can be read is subscribed to", async () => {
  const resources = [{ uri: "paper://one", tool: "paper" }];
  const served = mcpServer({ executor: new Executor({ tools: [paper] }) }, { views: { all: { resources } } });
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  const fetch = (at: URL | string, init?: RequestInit) => served.fetch(new Request(at, init));
  await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), { fetch }));
  const { contents } = await client.readResource({ uri: "paper://one" });
  expect(contents).toEqual([{ uri: "paper://one", mimeType: "application/pdf", blob: "JVBERi0=" }]);
  expect(await client.subscribeResource({ uri: "paper://one" })).toEqual({});
  await expect(client.subscribeResource({ uri: "paper://two" })).rejects.toThrow("paper://two");
  await client.close();
  await served.close();
});
