import { setTimeout as pause } from "node:timers/promises";
import { type JetStreamManager, jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { Objm } from "@nats-io/obj";
import { type MsgHdrs, type NatsConnection, nanos } from "@nats-io/transport-node";
import { ToolrigError } from "@toolrig/core";
import { messageOf } from "@toolrig/core/kit";
import { Latest, type ReadFrom } from "../wire/latest.ts";
import { wasRelayed } from "../wire/relayed.ts";
import { bucket, ensureStream } from "../wire/streams.ts";
import { StreamReader } from "./stream-reader.ts";

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

export interface Scanned<T> extends Entry<T> {
  key: string;
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
/** How many are read at once. */
const READS = 32;
/** A consumer that tells nothing for so long is made anew. */
const STALL_MS = 2_000;
const READER_TRIES = 5;
/** How often a replica is asked for a large value that it has not got. */
const LOOKS = 10;
const LOOK_AGAIN_MS = 100;

/** JSON values under keys, written by compare-and-set. A value that does not fit a message is kept as an object. */
export class Bucket<T> {
  readonly #connection: NatsConnection;
  readonly #options: BucketOptions;
  readonly #manager: JetStreamManager;
  readonly #kv: KV;
  readonly #latest: Latest;
  /** What is read of the stream that was made at that time. */
  #followed: { made: string; reader: StreamReader } | undefined;

  private constructor(connection: NatsConnection, options: BucketOptions, manager: JetStreamManager, kv: KV) {
    this.#connection = connection;
    this.#options = options;
    this.#manager = manager;
    this.#kv = kv;
    this.#latest = new Latest(manager, `KV_${options.name}`);
  }

  static async open<T>(connection: NatsConnection, options: BucketOptions): Promise<Bucket<T>> {
    const { name, replicas = 1, ttlMs = 0 } = options;
    const manager = await jetstreamManager(connection, { checkAPI: false });
    await ensureStream(manager, bucket(name, { max_age: nanos(ttlMs), num_replicas: replicas }));
    const kv = await new Kvm(connection).open(name, { allow_direct: true });
    return new Bucket(connection, options, manager, kv);
  }

  /** Linearizable: what is read here decides what is written, run or answered. */
  async get(key: string): Promise<Entry<T> | undefined> {
    const subject = `$KV.${this.#options.name}.${key}`;
    const stored = await this.#try(() => this.#latest.read(subject, "leader"));
    if (stored === undefined || isGone(stored.message.header)) return undefined;
    if (stored.isRelayed) throw this.#failed(new Error(`${key} was overwritten in somebody's stead`));
    const { message } = stored;
    return { value: await this.#try(() => this.#decode(message.string())), revision: message.seq };
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

  /**
   * The values under a prefix, in the order of their latest write. "leader" finds everything that was written before, and asks for each
   * key: for what decides, and is few. "replica" reads them at once, and may miss the latest: for lists that are shown.
   */
  scan(prefix: string, from: ReadFrom, accepts?: (key: string) => boolean): Promise<Scanned<T>[]> {
    return this.#try(() =>
      from === "leader" ? this.#scanLeader(prefix, accepts) : this.#scanReplica(prefix, accepts),
    );
  }

  async #scanLeader(prefix: string, accepts = (_: string) => true): Promise<Scanned<T>[]> {
    const start = `$KV.${this.#options.name}.`;
    const filter = { subjects_filter: `${start}${prefix}>` };
    const { state } = await this.#manager.streams.info(`KV_${this.#options.name}`, filter);
    const keys = Object.keys(state.subjects ?? {}).map((subject) => subject.slice(start.length));
    const left = keys.filter(accepts);
    const found: Scanned<T>[] = [];
    const one = async () => {
      for (let key = left.pop(); key !== undefined; key = left.pop()) {
        const entry = await this.get(key);
        if (entry !== undefined) found.push({ key, ...entry });
      }
    };
    await Promise.all(Array.from({ length: READS }, one));
    return found.sort((a, b) => a.revision - b.revision);
  }

  async #scanReplica(prefix: string, accepts = (_: string) => true): Promise<Scanned<T>[]> {
    const found: { key: string; text: string; revision: number }[] = [];
    for await (const entry of await this.#kv.history({ key: `${prefix}>` })) {
      if (entry.operation === "PUT" && accepts(entry.key))
        found.push({ key: entry.key, text: entry.string(), revision: entry.revision });
    }
    return Promise.all(
      found.map(async ({ key, text, revision }) => ({ key, revision, value: await this.#decode(text) })),
    );
  }

  /**
   * Tells of everything that was written before it was called and not told of before, the latest of each key. Asks the leader how far
   * that is, and reads until then: a consumer may read from a replica that is behind.
   */
  follow(follower: Follower<T>): Promise<void> {
    return this.#try(async () => {
      const stream = `KV_${this.#options.name}`;
      const { created, state } = await this.#manager.streams.info(stream);
      if (this.#followed?.made !== created || this.#followed.reader.seen > state.last_seq) {
        this.#followed?.reader.stop();
        follower.forget();
        this.#followed = { made: created, reader: this.#readerAfter(0, follower) };
      }
      for (let tries = 0; state.messages > 0 && this.#followed.reader.seen < state.last_seq; tries++) {
        if (this.#connection.isClosed()) throw new Error("the connection was closed while it was read");
        if (tries === READER_TRIES) throw new Error("its replicas do not have what its leader has");
        if (tries > 0 || this.#followed.reader.over) this.#readAnew(this.#followed, follower);
        await this.#followed.reader.until(state.last_seq, STALL_MS);
      }
    });
  }

  /** Nobody is told any more. */
  unfollow(): void {
    this.#followed?.reader.stop();
    this.#followed = undefined;
  }

  #readAnew(followed: { reader: StreamReader }, follower: Follower<T>): void {
    followed.reader.stop();
    followed.reader = this.#readerAfter(followed.reader.seen, follower);
  }

  #readerAfter(after: number, follower: Follower<T>): StreamReader {
    const stream = `KV_${this.#options.name}`;
    const tell = (message: StoredMsg) => this.#tell(message, follower);
    const subjects = `$KV.${this.#options.name}.>`;
    return new StreamReader(this.#connection, stream, { after, subjects, tell });
  }

  /** What cannot be read is not told of, and does not keep others from being; who asks for it by its key hears why. */
  async #tell(message: StoredMsg, follower: Follower<T>): Promise<void> {
    const key = message.subject.slice(`$KV.${this.#options.name}.`.length);
    const value =
      isGone(message.header) || wasRelayed(message.header, "replica")
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
    for (let look = 1; ; look++) {
      const data = await (await this.#objects()).getBlob(name);
      if (data !== null) return JSON.parse(new TextDecoder().decode(data)) as T;
      // It is stored before it is named, so a replica that has not got it is behind.
      if (look === LOOKS) throw new Error(`the object ${name} is gone`);
      await pause(LOOK_AGAIN_MS);
    }
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
