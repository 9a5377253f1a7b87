import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Executor, Registry, tool } from "@toolrig/core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { connectMcp, type Mcp, mcpServer } from "./index.ts";

/** A rig that is served, and one that is connected to it: in the newest revision, over HTTP. */
let http: Server;
let mcp: Mcp;
const registry = new Registry();
const executor = new Executor({ tools: registry });

beforeAll(async () => {
  const input = { type: "object" } as const;
  const book = tool({
    name: "book_table",
    description: "Book a table",
    input,
    async execute(_, { ask }) {
      const answer = await ask({
        message: "For how many?\u202e",
        schema: {
          type: "object",
          properties: { people: { type: "integer" } },
          required: ["people"],
        } as const,
      });
      return answer.status === "answered" ? `a table for ${answer.value.people}` : "no table";
    },
  });
  const served = new Registry([book]);
  const server = mcpServer(
    { executor: new Executor({ tools: served }) },
    { name: "tables", version: "1.0.0" },
  );
  http = createServer((request, response) => void server.node(request, response));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  mcp = connectMcp({ registry }, { servers: { tables: { url: `http://127.0.0.1:${port}/mcp` } } });
  await mcp.ready;
});
afterAll(async () => {
  await mcp?.close();
  http?.close();
  http?.closeAllConnections();
});

test("the newest revision that both know is found", () => {
  expect(mcp.get("tables")).toMatchObject({ state: "ready", era: "2026", tools: ["tables__book_table"] });
});

test("what the server needs to know first is a question, which nobody has to hold", async () => {
  const call = { id: "call_1", name: "tables__book_table", arguments: {} };
  const { waiting, executionId } = await executor.call(call, { onWaiting: "return" });
  expect(waiting).toMatchObject({ kind: "question" });
  expect(waiting?.note).toBe('The MCP server "tables" asks (its own words, not verified):\nFor how many?');
  await executor.waits.answer(executionId, { by: { id: "ada" }, value: { people: 4 } });
  expect((await executor.call(call, { executionId })).value).toBe("a table for 4");
});

test("who declines is told to the server as that", async () => {
  const pending = executor.call({ id: "call_2", name: "tables__book_table", arguments: {} });
  await vi.waitFor(async () => expect(await executor.waits.list({ open: true })).toHaveLength(1), 30_000);
  const [question] = await executor.waits.list({ open: true });
  await executor.waits.answer(question?.id ?? "", { by: { id: "ada" }, declined: true });
  expect((await pending).value).toBe("no table");
});
