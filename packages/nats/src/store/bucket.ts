import {
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
} from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { Objm } from "@nats-io/obj";
import { type MsgHdrs, type NatsConnection, nanos } from "@nats-io/transport-node";
import { ToolrigError } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import { isRelayed, wasRelayed } from "../wire/relayed.ts";
import { bucket, ensureStream } from "../wire/streams.ts";

export interface BucketOptions {
  name: string;
  replicas?: number;
  /** 0: entries stay. Default 0. */
  ttlMs?: number;
}

export interface Entry<T> {
  value: T;
  revision: number;
}

/** How far somebody has read: of which bucket of that name, and up to which revision. */
export interface Mark {
  made: string;
  revision: number;
}

/** Who is told of what is in a bucket. */
export interface Follower<T> {
  /** Everything was of another bucket of that name. */
  forget(): void;
  put(key: string, value: T, at: number): void;
  remove(key: string): void;
}

const CONFLICTS = new Set([10071, 10164]);
const MARGIN = 4_096;

/** JSON values under keys, written by compare-and-set. A value that does not fit a message is kept as an object. */
export class Bucket<T> {
  readonly #connection: NatsConnection;
  readonly #options: BucketOptions;
  readonly #manager: JetStreamManager;
  readonly #kv: KV;

  private constructor(connection: NatsConnection, options: BucketOptions, manager: JetStreamManager, kv: KV) {
    this.#connection = connection;
    this.#options = options;
    this.#manager = manager;
    this.#kv = kv;
  }

  static async open<T>(connection: NatsConnection, options: BucketOptions): Promise<Bucket<T>> {
    const { name, replicas = 1, ttlMs = 0 } = options;
    const manager = await jetstreamManager(connection, { checkAPI: false });
    await ensureStream(manager, bucket(name, { max_age: nanos(ttlMs), num_replicas: replicas }));
    const kv = await new Kvm(connection).open(name, { allow_direct: true });
    return new Bucket(connection, options, manager, kv);
  }

  async get(key: string): Promise<Entry<T> | undefined> {
    const { name } = this.#options;
    const last_by_subj = `$KV.${name}.${key}`;
    const entry = await this.#try(() => this.#manager.direct.getMessage(`KV_${name}`, { last_by_subj }));
    if (entry === null || isGone(entry.header)) return undefined;
    if (wasRelayed(entry.header)) throw this.#failed(new Error(`${key} was overwritten in somebody's stead`));
    return { value: await this.#decode(entry.string()), revision: entry.seq };
  }

  /** False when the key has a value already. */
  async create(key: string, value: T): Promise<boolean> {
    const text = await this.#encode(key, value);
    return this.#unlessConflict(() => this.#kv.create(key, text));
  }

  /** False when somebody wrote since `revision`. */
  async update(key: string, value: T, revision: number): Promise<boolean> {
    const text = await this.#encode(key, value);
    return this.#unlessConflict(() => this.#kv.update(key, text, revision));
  }

  /** Replaces a value by what `revise` makes of it, with nobody in between; false when that, or the value, is undefined. */
  async revise(key: string, revise: (value: T) => T | undefined): Promise<boolean> {
    for (;;) {
      const known = await this.get(key);
      const revised = known === undefined ? undefined : revise(known.value);
      if (known === undefined || revised === undefined) return false;
      if (await this.update(key, revised, known.revision)) return true;
    }
  }

  async put(key: string, value: T): Promise<void> {
    const text = await this.#encode(key, value);
    await this.#try(() => this.#kv.put(key, text));
  }

  /** False when somebody wrote since `revision`. */
  async remove(key: string, revision: number): Promise<boolean> {
    return this.#unlessConflict(() => this.#kv.delete(key, { previousSeq: revision }));
  }

  /** The values under a prefix, in the order of their latest write. */
  async scan(prefix = ""): Promise<(Entry<T> & { key: string })[]> {
    return this.#try(async () => {
      const found: { key: string; text: string; revision: number }[] = [];
      for await (const entry of await this.#kv.history({ key: `${prefix}>` })) {
        if (entry.operation === "PUT")
          found.push({ key: entry.key, text: entry.string(), revision: entry.revision });
      }
      return Promise.all(
        found.map(async ({ key, text, revision }) => ({ key, revision, value: await this.#decode(text) })),
      );
    });
  }

  /**
   * Tells of what was written after `mark`, the latest of each key, and returns how far that was. Asks the server what there is
   * and reads until then, so that nothing is missed by whoever was not connected.
   */
  async follow(mark: Mark | undefined, follower: Follower<T>): Promise<Mark> {
    return this.#try(async () => {
      const stream = `KV_${this.#options.name}`;
      const { created, state } = await this.#manager.streams.info(stream);
      const isSame = mark?.made === created && mark.revision <= state.last_seq;
      if (!isSame) follower.forget();
      const after = isSame ? mark.revision : 0;
      if (after < state.last_seq) await this.#read(stream, after, state.last_seq, follower);
      return { made: created, revision: state.last_seq };
    });
  }

  async #read(stream: string, after: number, last: number, follower: Follower<T>): Promise<void> {
    const consumer = await jetstream(this.#connection).consumers.get(stream, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: after + 1,
    });
    try {
      if ((await consumer.info(true)).num_pending === 0) return;
      const messages = await consumer.consume();
      for await (const message of messages) {
        await this.#tell(message, follower);
        if (message.seq >= last || message.info.pending === 0) return messages.stop();
      }
      throw new Error("the connection was closed while it was read");
    } finally {
      await consumer.delete().catch(() => {});
    }
  }

  /** What cannot be read is not told of, and does not keep others from being; who asks for it by its key hears why. */
  async #tell(message: JsMsg, follower: Follower<T>): Promise<void> {
    const key = message.subject.slice(`$KV.${this.#options.name}.`.length);
    const gone = message.headers !== undefined && isGone(message.headers);
    const value =
      gone || isRelayed(message.headers)
        ? undefined
        : await this.#decode(message.string()).catch(() => undefined);
    if (value === undefined || value === null) follower.remove(key);
    else follower.put(key, value, message.time.getTime());
  }

  async #unlessConflict(write: () => Promise<unknown>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (error) {
      if (CONFLICTS.has((error as { code?: number }).code ?? 0)) return false;
      throw this.#failed(error);
    }
  }

  async #try<R>(work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #failed(cause: unknown): ToolrigError {
    if (ToolrigError.isInstance(cause)) return cause;
    const message = `The bucket ${this.#options.name} on NATS failed: ${messageOf(cause)}`;
    return new ToolrigError("STORE_FAILED", message, { cause });
  }

  async #encode(key: string, value: T): Promise<string> {
    const text = JSON.stringify(value);
    if (Buffer.byteLength(text) <= (this.#connection.info?.max_payload ?? 1_048_576) - MARGIN) return text;
    const name = `${key}/${Date.now()}-${Math.random().toString(36).slice(2)}`;
    return this.#try(async () => {
      await (await this.#objects()).putBlob({ name }, new TextEncoder().encode(text));
      return JSON.stringify({ "~object": name });
    });
  }

  async #decode(text: string): Promise<T> {
    const value = JSON.parse(text) as T & { "~object"?: string };
    const name = value?.["~object"];
    if (typeof name !== "string") return value;
    const data = await (await this.#objects()).getBlob(name);
    if (data === null) throw new Error(`the object ${name} is gone`);
    return JSON.parse(new TextDecoder().decode(data)) as T;
  }

  #objects() {
    const { name, replicas = 1, ttlMs = 0 } = this.#options;
    const manager = new Objm(this.#connection);
    return manager
      .create(`${name}_OBJECTS`, { replicas, ...(ttlMs > 0 && { ttl: nanos(ttlMs) }) })
      .catch(() => manager.open(`${name}_OBJECTS`));
  }
}

/** Whether an entry says that there is none any more. */
function isGone(headers: MsgHdrs): boolean {
  return headers.has("KV-Operation") || headers.has("Nats-Marker-Reason");
}
