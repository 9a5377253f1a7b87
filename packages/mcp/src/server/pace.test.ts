import { PassThrough } from "node:stream";
import { Executor, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import { mcpServer } from "./mcp-server.ts";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
/** More than the recorder has room for. */
const CALLS = 11_000;

test("calls wait for a store that stands still, instead of being lost to the record", async () => {
  const ping = tool({
    name: "ping",
    description: "Answer",
    input: { type: "object" },
    safety: { sideEffects: "read", idempotent: true },
    execute: () => "pong",
  });
  let goOn = () => {};
  const moving = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let stored = 0;
  const executor = new Executor({
    tools: [ping],
    store: {
      async store(records) {
        await moving;
        stored += records.length;
      },
    },
  });
  const served = mcpServer({ executor });
  const input = new PassThrough();
  const output = new PassThrough();
  let answers = 0;
  output.setEncoding("utf8").on("data", (chunk: string) => {
    answers += chunk.split("\n").length - 1;
  });
  void served.stdio({ input, output });
  const params = { name: "ping", arguments: {}, _meta: META };
  const begin = (id: number) =>
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`);
  let begun = 0;
  for (; begun < 5_000; begun++) begin(begun);
  await expect.poll(() => answers).toBe(begun);
  for (; begun < CALLS; begun++) {
    begin(begun);
    if (begun % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(answers).toBeLessThan(6_000);
  goOn();
  await expect.poll(() => answers).toBe(CALLS);
  await executor.flush();
  expect([stored, executor.health().recordsDropped]).toEqual([CALLS, 0]);
  await served.close();
});
