import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Executor, Registry, result, tool } from "@toolrig/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectMcp, type Mcp, mcpServer } from "./index.ts";

/** A rig that is served, and one that is connected to it: in the newest revision, over HTTP. */
let http: Server;
let mcp: Mcp;
let stopped = 0;
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
  const paint = tool({
    name: "paint",
    description: "Paint a picture",
    input,
    background: 1,
    async execute(_, { ask, signal }) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const answer = await ask({ message: "Which colour?", schema: { enum: ["red", "blue"] } as const });
      signal.throwIfAborted();
      return answer.status === "answered" ? `painted ${answer.value}` : "left white";
    },
  });
  const wait = tool({
    name: "wait",
    description: "Wait",
    input,
    background: 1,
    execute: (_, { signal }) =>
      new Promise<string>((resolve) => {
        signal.addEventListener("abort", () => {
          stopped += 1;
          resolve("stopped");
        });
      }),
  });
  const sing = tool({
    name: "sing",
    description: "Sing",
    input,
    execute: () => result({ content: [{ type: "audio", data: "UklGRg==", mimeType: "audio/wav\u202e" }] }),
  });
  const served = new Registry([book, paint, sing, wait]);
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
  expect(mcp.get("tables")).toMatchObject({
    state: "ready",
    era: "2026",
    tools: ["tables__book_table", "tables__paint", "tables__sing", "tables__wait"],
  });
});

test("sound is sound", async () => {
  const { content } = await executor.call({ id: "call_0", name: "tables__sing", arguments: {} });
  expect(content).toEqual([{ type: "audio", data: "UklGRg==", mimeType: "audio/wav" }]);
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
  await expect.poll(() => executor.waits.list({ open: true })).toHaveLength(1);
  const [question] = await executor.waits.list({ open: true });
  await executor.waits.answer(question?.id ?? "", { by: { id: "ada" }, declined: true });
  expect((await pending).value).toBe("no table");
});

test("a task of a server is a call that waits, and what it asks is in the inbox", async () => {
  const call = { id: "call_3", name: "tables__paint", arguments: {} };
  const { waiting, executionId } = await executor.call(call, { onWaiting: "return" });
  expect(waiting).toMatchObject({ kind: "deferred", note: "tables works on it" });
  const questions = () => executor.waits.list({ executionId, open: true, kind: "question" });
  await expect.poll(() => questions()).toHaveLength(1);
  const [question] = await questions();
  expect(question?.note).toContain("Which colour?");
  const wrong = executor.waits.answer(executionId, { by: { id: "ada" }, value: { answer: "green" } });
  await expect(wrong).rejects.toThrow("does not fit");
  await executor.waits.answer(executionId, { by: { id: "ada" }, value: { answer: "blue" } });
  const settled = async () => (await executor.call(call, { executionId, onWaiting: "return" })).value;
  await expect.poll(() => settled()).toBe("painted blue");
});

test("cancelling it cancels the task", async () => {
  const call = { id: "call_4", name: "tables__wait", arguments: {} };
  const { executionId } = await executor.call(call, { onWaiting: "return" });
  expect(await executor.waits.cancel(executionId)).toBe(true);
  await expect.poll(() => stopped).toBe(1);
  expect((await executor.call(call, { executionId })).failure?.code).toBe("TOOL_CANCELLED");
});
