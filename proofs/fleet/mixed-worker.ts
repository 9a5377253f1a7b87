/** A worker process with every manner in which a call can wait. What stands in its file has happened. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "@nats-io/transport-node";
import { deferred, tool } from "@toolrig/core";
import { KvCallStore, NatsWorker } from "@toolrig/nats";

const [url, folder] = process.argv.slice(2) as [string, string];
const servers = url.split(",");
const replicas = Number(process.env.REPLICAS ?? 1);
const nats = { servers, reconnectTimeWait: 100, maxReconnectAttempts: -1 };
const wire = await connect(nats);
const input = { type: "object", properties: { number: { type: "integer" } }, required: ["number"] } as const;

interface Args {
  number: number;
}

const effect = (name: string, { number }: Args) =>
  appendFileSync(join(folder, "effects"), `${name} ${number}\n`);

const plain = (name: string, idempotent: boolean) =>
  tool({
    name,
    description: name,
    input,
    safety: { sideEffects: "external", idempotent },
    async execute(args: Args) {
      effect(name, args);
      await pause(Math.random() * 20);
      return args.number;
    },
  });

const later = tool({
  name: "later",
  description: "Hand the token out, and wait",
  input,
  safety: { sideEffects: "external", idempotent: false },
  wait: { expires: "10m" },
  async execute(args: Args, { executionId, token }) {
    effect("later", args);
    wire.publish(`proof.token.${args.number}`, JSON.stringify({ executionId, token }));
    // A service may be faster than its tool, or slower.
    await pause(args.number % 3 === 0 ? 0 : Math.random() * 60);
    return deferred();
  },
});

const asks = tool({
  name: "asks",
  description: "Ask before it acts",
  input,
  safety: { sideEffects: "external", idempotent: false },
  async execute(args: Args, { ask }) {
    const answer = await ask({ message: "Go on?" });
    effect("asks", args);
    return answer.status === "answered" ? Number(answer.value) : answer.status;
  },
});

const approved = tool({
  name: "approved",
  description: "Act when somebody has said yes",
  input,
  safety: { sideEffects: "external", idempotent: false },
  approval: true,
  execute(args: Args) {
    effect("approved", args);
    return args.number;
  },
});

const store = new KvCallStore(wire, { replicas });
const worker = new NatsWorker({
  nats,
  tools: [plain("once", false), plain("again", true), later, asks, approved],
  config: { concurrency: 32 },
  fleet: { ackWait: "1s", replicas },
  store,
  async approve() {
    await pause(20 + Math.random() * 100);
    return { approved: true, by: { id: "ann" } };
  },
});
await worker.start();
process.on("disconnect", () => process.exit());
process.on("SIGTERM", () => void worker.stop("10s").then(() => process.exit(0)));
process.send?.("ready");
