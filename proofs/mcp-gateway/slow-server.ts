/** A rig that is served over HTTP on loopback, or over stdio, and tells over IPC what it holds in memory. Started with --expose-gc. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Executor, Registry, tool } from "@toolrig/core";
import { mcpServer } from "@toolrig/mcp";
import { SUBSCRIBED } from "./slow-clients.ts";

const input = { type: "object" } as const;
const safety = { sideEffects: "none", idempotent: true } as const;
const pause = () => new Promise((resolve) => setImmediate(resolve));
const LINE = "x".repeat(10_000);

const tools = [
  tool({ name: "news", description: "News", input, safety, execute: () => "new" }),
  tool({ name: "large", description: "Answer much", input, safety, execute: () => "x".repeat(45_000) }),
  tool({
    name: "chatty",
    description: "Log much",
    input,
    safety,
    async execute(_, { log }) {
      for (let line = 0; line < 3_000; line++) {
        log.info(LINE);
        if (line % 50 === 0) await pause();
      }
      return "told";
    },
  }),
];

const served = mcpServer(
  { executor: new Executor({ tools: new Registry(tools) }) },
  { views: { all: { resources: [{ uri: SUBSCRIBED, tool: "news" }] } } },
);

/** Bytes in use, inside and outside of the heap, when what can go has gone. */
async function held(): Promise<number> {
  for (let time = 0; time < 3; time++) {
    globalThis.gc?.();
    await pause();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.on("message", async (asked: { change?: number }) => {
  for (let time = 0; time < (asked.change ?? 0); time++) {
    served.resourceChanged(SUBSCRIBED);
    if (time % 500 === 0) await pause();
  }
  process.send?.({ held: await held() });
});

if (process.argv.includes("stdio")) void served.stdio().then(() => process.disconnect());
else {
  const server = createServer((request, response) => void served.node(request, response));
  server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
}
