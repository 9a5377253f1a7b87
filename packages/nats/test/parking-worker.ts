/** A worker process whose tools wait for the world. It dies at a point that it is told, the first time it gets there. */
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deferred, tool } from "@toolrig/core";
import { NatsWorker } from "@toolrig/nats";

const [servers = "", folder = "", dieAt = ""] = process.argv.slice(2);

function dieOnce(stage: string): void {
  const mark = join(folder, `died-${stage}`);
  if (stage !== dieAt || existsSync(mark)) return;
  writeFileSync(mark, "");
  process.kill(process.pid, "SIGKILL");
}

const deploy = tool({
  name: "deploy",
  description: "Deploy the site",
  input: { type: "object", properties: { job: { type: "string" } }, required: ["job"] },
  output: { type: "string" },
  safety: { sideEffects: "external", idempotent: false },
  wait: { every: "200ms", maxEvery: "300ms" },
  execute({ job }: { job: string }, { executionId, token }) {
    appendFileSync(join(folder, "effects"), `${job}\n`);
    writeFileSync(join(folder, `token-${job}`), JSON.stringify({ execution: executionId, token }));
    return deferred({ ref: job, expires: "10m" });
  },
  check(ref: unknown) {
    const done = join(folder, `done-${ref}`);
    if (existsSync(done)) dieOnce("checked");
    return existsSync(done) ? "checked" : undefined;
  },
});

const book = tool({
  name: "book",
  description: "Book a room",
  input: { type: "object", properties: { job: { type: "string" } }, required: ["job"] },
  safety: { sideEffects: "external", idempotent: false },
  async execute({ job }: { job: string }, { ask }) {
    const day = await ask({ message: "Which day?" });
    appendFileSync(join(folder, "effects"), `${job}\n`);
    dieOnce("booked");
    return day.status === "answered" ? day.value : day.status;
  },
});

process.on("disconnect", () => process.exit());
const worker = new NatsWorker({
  nats: { servers, reconnectTimeWait: 100, maxReconnectAttempts: -1 },
  fleet: { ackWait: "500ms" },
  tools: [deploy, book],
  hooks: { afterCall: () => dieOnce("settling") },
  probe: (stage) => dieOnce(stage),
});
await worker.start();
process.send?.("ready");
