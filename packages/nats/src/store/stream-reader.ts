import { setTimeout as pause } from "node:timers/promises";
import { type JetStreamManager, jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

/** A server that answers reads with several messages. Older ones are asked for each. */
const BATCHES_SINCE = [2, 11] as const;
const BATCH = 500;
/** A replica may be behind what its leader says that there is. */
const LOOK_AGAIN_MS = 20;

/**
 * Reads a stream in order and knows how far it has come. It asks for messages and makes no consumer: whoever may make one can have
 * the server publish on any subject of the stream's account.
 */
export class StreamReader {
  readonly #connection: NatsConnection;
  readonly #stream: string;
  readonly #subjects: string;
  readonly #tell: (message: StoredMsg) => Promise<void>;
  #manager: Promise<JetStreamManager> | undefined;
  #seen: number;
  #over = false;

  /** Begins behind a sequence. `tell` is called with each message in turn and does not reject. */
  constructor(
    connection: NatsConnection,
    stream: string,
    {
      after,
      subjects,
      tell,
    }: { after: number; subjects: string; tell: (message: StoredMsg) => Promise<void> },
  ) {
    this.#connection = connection;
    this.#stream = stream;
    this.#subjects = subjects;
    this.#seen = after;
    this.#tell = tell;
  }

  /** The sequence up to which everything was told. */
  get seen(): number {
    return this.#seen;
  }

  /** Nothing comes from it any more. */
  get over(): boolean {
    return this.#over;
  }

  /** Resolves when everything up to a sequence was told, it has ended, or the time is over. Not to be called twice at once. */
  async until(sequence: number, limitMs: number): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (!this.#over && this.#seen < sequence && performance.now() < deadline) {
      const before = this.#seen;
      await this.#read().catch(() => {});
      if (this.#seen === before) await pause(LOOK_AGAIN_MS);
    }
  }

  stop(): void {
    this.#over = true;
  }

  async #read(): Promise<void> {
    this.#manager ??= jetstreamManager(this.#connection, { checkAPI: false });
    const { direct } = await this.#manager;
    const next = { seq: this.#seen + 1, next_by_subj: this.#subjects };
    if (!this.#inBatches()) {
      const message = await direct.getMessage(this.#stream, next);
      if (message !== null) await this.#take(message);
      return;
    }
    for await (const message of await direct.getBatch(this.#stream, { ...next, batch: BATCH })) {
      if (this.#over) return;
      await this.#take(message);
    }
  }

  async #take(message: StoredMsg): Promise<void> {
    await this.#tell(message);
    this.#seen = message.seq;
  }

  #inBatches(): boolean {
    const [major = 0, minor = 0] = (this.#connection.info?.version ?? "").split(".").map(Number);
    const [least, since] = BATCHES_SINCE;
    return major > least || (major === least && minor >= since);
  }
}
