import type { KV } from "@nats-io/kv";
import type { NatsConnection, Subscription } from "@nats-io/transport-node";
import type { ToolDefinition } from "@toolrig/core";
import { keyOf, SUBJECT } from "../names.ts";

/** What a worker tells about itself, anew with every heartbeat. */
export interface WorkerCard {
  id: string;
  startedAt: number;
  at: number;
  running: number;
  tools: OfferedTool[];
}

export interface OfferedTool extends ToolDefinition {
  provider: string;
  available: boolean;
  reason?: string;
  safety: { sideEffects: string; idempotent: boolean };
}

export const HEARTBEAT_MS = 5_000;

/** Makes a worker visible: a card that expires when it stops being renewed, and an answer to "do you run this?". */
export class Presence {
  readonly #bucket: KV;
  readonly #card: () => WorkerCard;
  readonly #subscription: Subscription;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    connection: NatsConnection,
    bucket: KV,
    card: () => WorkerCard,
    isRunning: (key: string) => boolean,
  ) {
    this.#bucket = bucket;
    this.#card = card;
    this.#subscription = connection.subscribe(`${SUBJECT.worker}.${card().id}`, {
      callback: (_error, message) => {
        message.respond(isRunning(message.string()) ? "running" : "no");
      },
    });
  }

  async start(): Promise<void> {
    await this.#beat();
    this.#timer = setInterval(() => void this.#beat().catch(() => {}), HEARTBEAT_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#bucket.delete(this.#card().id).catch(() => {});
    this.#subscription.unsubscribe();
  }

  async #beat(): Promise<void> {
    const card = this.#card();
    await this.#bucket.put(card.id, JSON.stringify(card));
  }
}

/** Asks a worker whether it is at a call. No answer means that it is gone. */
export async function isAlive(
  connection: NatsConnection,
  worker: string,
  executionId: string,
): Promise<boolean> {
  try {
    const answer = await connection.request(`${SUBJECT.worker}.${worker}`, keyOf(executionId), {
      timeout: 500,
    });
    return answer.string() === "running";
  } catch {
    return false;
  }
}
