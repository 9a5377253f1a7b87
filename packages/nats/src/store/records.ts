import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import { type CallRecord, ToolrigError } from "@toolrig/core";
import { type CallStore, type LateRecord, messageOf } from "@toolrig/core/kit";
import { token, unfitToken } from "../wire/names.ts";
import { Bucket } from "./bucket.ts";

export interface KvCallStoreOptions {
  /** Default "TOOL_CALLS". */
  bucket?: string;
  replicas?: number;
  /** How long records are kept, in milliseconds. 0: for ever. Default 0. */
  ttlMs?: number;
}

type Kept = { call: CallRecord } | { late: LateRecord };

const TRIES = 3;
const RETRY_MS = 100;

/**
 * Records on a NATS bucket, under `{call_id}.{timestamp_ns}`: a call id may have several. The bucket is made or opened by the
 * first record that needs it; when that fails, the next one tries again.
 */
export class KvCallStore implements CallStore {
  readonly #connection: NatsConnection;
  readonly #options: Required<KvCallStoreOptions>;
  #bucket: Promise<Bucket<Kept>> | undefined;
  #closed = false;
  #last = 0n;

  constructor(connection: NatsConnection, options: KvCallStoreOptions = {}) {
    this.#connection = connection;
    this.#options = { bucket: "TOOL_CALLS", replicas: 1, ttlMs: 0, ...options };
  }

  async store(records: readonly CallRecord[]): Promise<void> {
    await this.#keep(records.map((call) => [keyOf(call.callId, this.#stamp()), { call }]));
  }

  async storeLate(records: readonly LateRecord[]): Promise<void> {
    await this.#keep(records.map((late) => [keyOf(late.callId, this.#stamp()), { late }]));
  }

  /** Oldest first; all, or those of one call id. */
  async records(callId?: string): Promise<CallRecord[]> {
    return (await this.#scan(callId)).flatMap((kept) => ("call" in kept ? [kept.call] : []));
  }

  async late(callId?: string): Promise<LateRecord[]> {
    return (await this.#scan(callId)).flatMap((kept) => ("late" in kept ? [kept.late] : []));
  }

  /** Nothing is stored any more. The connection is its owner's and stays open. */
  close(): void {
    this.#closed = true;
  }

  /** Begins anew, after a failure or after `close`. What is stored stays. */
  reset(): void {
    this.#closed = false;
    this.#bucket = undefined;
  }

  async #keep(entries: readonly [string, Kept][]): Promise<void> {
    if (this.#closed) throw new ToolrigError("STORE_FAILED", "The call store is closed; reset it to go on.");
    if (entries.length === 0) return;
    const bucket = await this.#open();
    // One after the other: the order of records is that of their writes.
    for (const [key, kept] of entries) await bucket.put(key, kept);
  }

  async #scan(callId: string | undefined): Promise<Kept[]> {
    const prefix = callId === undefined ? "" : `${safe(callId)}.`;
    return (await (await this.#open()).scan(prefix, "replica")).map(({ value }) => value);
  }

  #open(): Promise<Bucket<Kept>> {
    this.#bucket ??= this.#init().catch((error: unknown) => {
      this.#bucket = undefined;
      throw error;
    });
    return this.#bucket;
  }

  async #init(): Promise<Bucket<Kept>> {
    const { bucket: name, replicas, ttlMs } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await Bucket.open(this.#connection, { name, replicas, ttlMs });
      } catch (cause) {
        if (attempt < TRIES) await pause(RETRY_MS * attempt);
        else
          throw new ToolrigError("STORE_FAILED", `The call store cannot be opened: ${messageOf(cause)}`, {
            cause,
          });
      }
    }
  }

  /** Nanoseconds since the epoch; no two the same. */
  #stamp(): bigint {
    const now = BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n;
    this.#last = now > this.#last ? now : this.#last + 1n;
    return this.#last;
  }
}

function keyOf(callId: string, stamp: bigint): string {
  return `${safe(callId)}.${stamp}`;
}

/** Ids come from models: what a key cannot hold is escaped, and of what is too long for one there is the hash. */
function safe(callId: string): string {
  if (unfitToken("key", callId) === undefined) return token(callId) || "=";
  return `=${createHash("sha256").update(callId).digest("hex")}`;
}
