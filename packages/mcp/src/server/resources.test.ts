import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Executor, result, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import { mcpServer } from "./mcp-server.ts";
import { readable } from "./resources.ts";

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

test("a URI that a template could share out in a thousand million ways is not of it", () => {
  const days = readable({ uri: "day://{year}-{month}-{day}", tool: "paper" });
  expect(days.match("day://2026-11-18")).toEqual({ year: "2026", month: "11", day: "18" });
  expect(days.match(`day://${"-".repeat(3_900)}/`)).toBeUndefined();
  const long = "x".repeat(600);
  expect(days.match(`day://${long}-${long}-1`)).toBeUndefined();
  // Variables of segments of their own are told apart at once.
  const files = readable({ uri: "file://{owner}/{house}/{floor}/{room}", tool: "paper" });
  const all = { owner: long, house: long, floor: long, room: long };
  expect(files.match(`file://${long}/${long}/${long}/${long}`)).toEqual(all);
});
