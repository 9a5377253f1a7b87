/** The server over a rig with a store, and what it knows at the end. */
import { setTimeout as sleep } from "node:timers/promises";
import { rig, tool } from "toolrig";
import { INPUT } from "./trivial.ts";

const [store = "", calls = "256", queue = "256"] = process.argv.slice(2);

const add = tool({
  name: "add",
  description: "Add two numbers",
  input: INPUT,
  safety: { sideEffects: "none", idempotent: true },
  execute: ({ a, b }) => a + b,
});
/** Takes its time, so that calls pile up. */
const wait = tool({
  name: "wait",
  description: "Wait for a while",
  input: { type: "object", properties: { ms: { type: "number" } }, required: ["ms"] },
  safety: { sideEffects: "none", idempotent: true },
  async execute({ ms }) {
    await sleep(ms);
    return "waited";
  },
});

const own = rig({ tools: [add, wait], store });
const served = await own.serve({
  port: 0,
  mcp: false,
  limits: { calls: Number(calls), queue: Number(queue), queueTimeout: "200ms" },
});
process.send?.({ port: served.port });
process.on("message", async (said) => {
  if (said !== "stop") return;
  await served.close("10s");
  await own.executor.drain("10s");
  const { recordsDropped } = own.executor.health();
  const records = own.store?.records.head().seq ?? 0;
  await own.close();
  process.send?.({ records, recordsDropped });
});
process.on("disconnect", () => process.exit());
