/** The caller's side of a system: one call, start to result. */
import { jetstream } from "@nats-io/jetstream";
import { type ConnectionOptions, connect, createInbox } from "@nats-io/transport-node";
import { NatsExecutor } from "@toolrig/nats";
import { ackedPublish } from "./acked.ts";
import { ARGUMENTS, BY_HAND, QUEUE, SUBJECT } from "./workload.ts";

export type Call = () => Promise<void>;

export const CALLERS: Record<string, (url: string) => Promise<Call>> = {
  core: (url) => requesting({ servers: url }),
  // Without the stack trace that the client library makes for every request.
  tuned: (url) => requesting({ servers: url, noAsyncTraces: true }),

  async jetstream(url) {
    const connection = await connect({ servers: url, noAsyncTraces: true });
    const client = jetstream(connection);
    const inbox = `${createInbox()}.`;
    const waiting = new Map<string, () => void>();
    connection.subscribe(`${inbox}*`, {
      callback: (_error, message) => {
        const id = message.subject.slice(inbox.length);
        waiting.get(id)?.();
        waiting.delete(id);
      },
    });
    let count = 0;
    return async () => {
      count += 1;
      const id = String(count);
      const answered = new Promise<void>((resolve) => waiting.set(id, resolve));
      const body = JSON.stringify({ ...ARGUMENTS, reply: inbox + id });
      await Promise.all([client.publish(SUBJECT, body, { timeout: 20_000 }), answered]);
    };
  },

  /** Toolrig's protocol without Toolrig: what is stored and sent for a call, and nothing else. */
  async protocol(url) {
    const connection = await connect({ servers: url, noAsyncTraces: true });
    const publish = ackedPublish(connection);
    const waiting = new Map<string, () => void>();
    connection.subscribe(`${BY_HAND.results}.>`, {
      callback: (_error, message) => {
        if (message.json<{ state: string }>().state !== "final") return;
        const id = message.subject.slice(BY_HAND.results.length + 1);
        waiting.get(id)?.();
        waiting.delete(id);
      },
    });
    let count = 0;
    return async () => {
      count += 1;
      const id = BY_HAND.id(count);
      const answered = new Promise<void>((resolve) => waiting.set(id, resolve));
      await Promise.all([publish(SUBJECT, BY_HAND.call(id)), answered]);
    };
  },

  async toolrig(url) {
    const executor = await NatsExecutor.connect({ nats: { servers: url } });
    let count = 0;
    return async () => {
      count += 1;
      const { failure } = await executor.call({ id: `c${count}`, name: "read_lines", arguments: ARGUMENTS });
      if (failure !== undefined) throw new Error(failure.message);
    };
  },

  async bullmq(url) {
    const { Queue, QueueEvents } = await import("bullmq");
    const { hostname: host, port } = new URL(url);
    const connection = { host, port: Number(port), maxRetriesPerRequest: null };
    const kept = { removeOnComplete: { count: 1_000 }, removeOnFail: { count: 1_000 } };
    const queue = new Queue(QUEUE, { connection, defaultJobOptions: kept });
    const events = new QueueEvents(QUEUE, { connection });
    events.setMaxListeners(0);
    queue.setMaxListeners(0);
    await events.waitUntilReady();
    // Ready is not yet listening: an end that comes too soon would be missed and waited for in vain.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return async () => {
      const job = await queue.add("call", ARGUMENTS);
      await job.waitUntilFinished(events, 20_000);
    };
  },
};

async function requesting(options: ConnectionOptions): Promise<Call> {
  const connection = await connect(options);
  const body = JSON.stringify(ARGUMENTS);
  return async () => {
    const answer = await connection.request(SUBJECT, body, { timeout: 10_000 });
    if (answer.data.length === 0) throw new Error("The answer was empty.");
  };
}
