/** A worker process that stops when it is told to, and has nothing else that keeps it alive. */
import { tool } from "@toolrig/core";
import { NatsWorker } from "@toolrig/nats";

const idle = tool({ name: "idle", description: "Idle", input: { type: "object" }, execute: () => 1 });
const worker = new NatsWorker({ nats: { servers: process.argv[2] ?? "" }, tools: [idle] });
await worker.start();
process.once("message", () => {
  process.disconnect();
  void worker.stop("300ms");
});
process.send?.("ready");
