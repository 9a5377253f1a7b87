import { gunzipSync, gzipSync } from "node:zlib";
import type { KV } from "@nats-io/kv";
import type { NatsConnection, Subscription } from "@nats-io/transport-node";
import type { ToolDefinition } from "@toolrig/core";
import { SUBJECT } from "../wire/names.ts";

/** What a worker tells about itself, anew with every heartbeat. */
export interface WorkerCard {
  id: string;
  startedAt: number;
  at: number;
  running: number;
  /** Calls that ran here, and those that failed. */
  ran?: number;
  failed?: number;
  /** Whether it looks at the lanes of high and low priority. */
  lanes?: boolean;
  tools: OfferedTool[];
}

export interface OfferedTool extends ToolDefinition {
  provider: string;
  available: boolean;
  reason?: string;
  /** False when the worker has the tool and may not run it. */
  allowed?: boolean;
  mode?: "sequential";
  /** How many of its calls this worker runs at once. */
  slots?: number;
  /** Whether calls may need somebody's approval. */
  approval?: true;
  safety: { sideEffects: string; idempotent: boolean };
}

export const HEARTBEAT_MS = 5_000;
const ASK_MS = 500;
const MAX_CARD = 64 * 1024 * 1024;

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
    await this.renew();
    this.#timer = setInterval(() => void this.renew().catch(() => {}), HEARTBEAT_MS);
    this.#timer.unref();
  }

  /** Shows the card as it is now. */
  async renew(): Promise<void> {
    const card = this.#card();
    await this.#bucket.put(card.id, encodeCard(card));
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#bucket.delete(this.#card().id).catch(() => {});
    this.#subscription.unsubscribe();
  }
}

/** A worker with many tools has a long card, most of it schemas: they shrink well. */
const LONG_CARD = 64 * 1024;

function encodeCard(card: WorkerCard): string | Uint8Array {
  const text = JSON.stringify(card);
  return text.length < LONG_CARD ? text : gzipSync(text);
}

/** Throws for what is not a card. */
export function readCard(data: Uint8Array): WorkerCard {
  const isZipped = data[0] === 0x1f && data[1] === 0x8b;
  const text = isZipped ? gunzipSync(data, { maxOutputLength: MAX_CARD }) : data;
  const card = JSON.parse(new TextDecoder().decode(text)) as WorkerCard;
  if (typeof card.id !== "string" || !Array.isArray(card.tools)) throw new Error("not a worker's card");
  return card;
}

/**
 * Asks a worker whether it is at a call. One that does not answer may be busy or about to reconnect, so it is asked again
 * until `patienceMs` are over; then it is gone.
 */
export async function isAlive(
  connection: NatsConnection,
  worker: string,
  key: string,
  patienceMs = 0,
): Promise<boolean> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      const answer = await connection.request(`${SUBJECT.worker}.${worker}`, key, { timeout: ASK_MS });
      return answer.string() === "running";
    } catch {
      if (Date.now() >= deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, Math.min(200, patienceMs)));
    }
  }
}
