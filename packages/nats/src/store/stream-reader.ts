import { type ConsumerMessages, DeliverPolicy, type JsMsg, jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

/** A replica that stops sending is noticed after two of these, in milliseconds. */
const HEARTBEAT_MS = 1_000;
const PULL_MS = 10_000;

/** Reads a stream in order, from one consumer that stays open, and knows how far it has come. */
export class StreamReader {
  readonly #tell: (message: JsMsg) => Promise<void>;
  readonly #waiting = new Set<() => void>();
  #messages: ConsumerMessages | undefined;
  #seen: number;
  #over = false;

  /** Begins behind a sequence. `tell` is called with each message in turn and does not reject. */
  constructor(
    connection: NatsConnection,
    stream: string,
    { after, tell }: { after: number; tell: (message: JsMsg) => Promise<void> },
  ) {
    this.#seen = after;
    this.#tell = tell;
    void this.#read(connection, stream)
      .catch(() => {})
      .then(() => this.stop());
  }

  /** The sequence up to which everything was told. */
  get seen(): number {
    return this.#seen;
  }

  /** Nothing comes from it any more. */
  get over(): boolean {
    return this.#over;
  }

  /** Resolves when everything up to a sequence was told, it has ended, or the time is over. */
  async until(sequence: number, limitMs: number): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (!this.#over && this.#seen < sequence) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return;
      await new Promise<void>((resolve) => {
        const go = () => {
          clearTimeout(timer);
          this.#waiting.delete(go);
          resolve();
        };
        const timer = setTimeout(go, leftMs);
        this.#waiting.add(go);
      });
    }
  }

  stop(): void {
    this.#over = true;
    this.#messages?.stop();
    this.#wake();
  }

  async #read(connection: NatsConnection, stream: string): Promise<void> {
    const consumer = await jetstream(connection).consumers.get(stream, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: this.#seen + 1,
    });
    try {
      if (this.#over) return;
      const messages = await consumer.consume({ idle_heartbeat: HEARTBEAT_MS, expires: PULL_MS });
      this.#messages = messages;
      if (this.#over) messages.stop();
      for await (const message of messages) {
        if (this.#over) return;
        await this.#tell(message);
        this.#seen = message.seq;
        this.#wake();
      }
    } finally {
      await consumer.delete().catch(() => {});
    }
  }

  #wake(): void {
    for (const go of [...this.#waiting]) go();
  }
}
