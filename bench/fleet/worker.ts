/** The worker's side of a system, in a process of its own: `node worker.ts SYSTEM URL`. */
import { AckPolicy, type JsMsg, jetstream, jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { tool } from "@toolrig/core";
import { NatsWorker } from "@toolrig/nats";
import { ackedPublish } from "./acked.ts";
import { BY_HAND, QUEUE, RESULT, SUBJECT } from "./workload.ts";

const [system = "", url = ""] = process.argv.slice(2);

const SYSTEMS: Record<string, () => Promise<unknown>> = {
  async core() {
    const connection = await connect({ servers: url });
    const answer = JSON.stringify(RESULT);
    connection.subscribe(SUBJECT, {
      queue: "workers",
      callback: (_error, message) => void message.respond(answer),
    });
    await connection.flush();
  },

  async jetstream() {
    const connection = await connect({ servers: url, noAsyncTraces: true });
    const answer = JSON.stringify(RESULT);
    await consume(connection, (message) => {
      connection.publish(message.json<{ reply: string }>().reply, answer);
      message.ack();
    });
  },

  async protocol() {
    const connection = await connect({ servers: url, noAsyncTraces: true });
    const republish = { src: `$KV.${BY_HAND.bucket}.>`, dest: `${BY_HAND.results}.>` };
    await new Kvm(connection).create(BY_HAND.bucket, { republish });
    const publish = ackedPublish(connection);
    await consume(connection, async (message) => {
      const { executionId } = message.json<{ executionId: string }>();
      const subject = `$KV.${BY_HAND.bucket}.${executionId}`;
      const revision = await publish(subject, BY_HAND.started, 0);
      await publish(subject, BY_HAND.final(executionId), revision);
      message.ack();
    });
  },

  async toolrig() {
    const read = tool({
      name: "read_lines",
      description: "Reads lines of a file",
      input: {
        type: "object",
        properties: {
          path: { type: "string" },
          from: { type: "integer" },
          to: { type: "integer" },
          encoding: { type: "string" },
        },
        required: ["path"],
      },
      safety: { sideEffects: "read", idempotent: true },
      retry: { attempts: 1 },
      execute: () => RESULT,
    });
    await new NatsWorker({
      nats: { servers: url },
      tools: [read],
      config: { concurrency: 512, timeout: "1s" },
    }).start();
  },

  async bullmq() {
    const { Worker } = await import("bullmq");
    const { hostname: host, port } = new URL(url);
    const connection = { host, port: Number(port), maxRetriesPerRequest: null };
    await new Worker(QUEUE, async () => RESULT, { connection, concurrency: 256 }).waitUntilReady();
  },
};

/** From a work queue, each message to be acknowledged. */
async function consume(connection: NatsConnection, callback: (message: JsMsg) => unknown): Promise<void> {
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: "BENCH", subjects: [SUBJECT], retention: RetentionPolicy.Workqueue });
  await manager.consumers.add("BENCH", {
    durable_name: "w",
    ack_policy: AckPolicy.Explicit,
    max_ack_pending: 4_096,
  });
  const consumer = await jetstream(connection).consumers.get("BENCH", "w");
  await consumer.consume({ max_messages: 512, callback: (message) => void callback(message) });
}

process.once("disconnect", () => process.exit(0));
await SYSTEMS[system === "tuned" ? "core" : system]!();
process.send?.("ready");
