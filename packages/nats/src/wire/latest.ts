import { type JetStreamManager, jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { wasRelayed } from "./relayed.ts";

/**
 * Where the latest message on a subject is read.
 *
 * Every replica of a stream answers direct reads, also one that is behind: such a read can be older than a write which its own
 * reader has seen acknowledged.
 * - "leader": linearizable, and slower. For every read whose answer decides something.
 * - "replica": may be old. For reads that are only shown, and for those whose answer is acted on by a compare-and-set alone. Callers
 *   read so: their permissions name the keys that they may read, and a request to the leader does not.
 */
export type ReadFrom = "leader" | "replica";

/** A message as a stream has it. */
export interface Stored {
  message: StoredMsg;
  /** Whether the server wrote it in somebody's stead. */
  isRelayed: boolean;
}

/** Reads the latest message on a subject of a stream. */
export class Latest {
  readonly #manager: JetStreamManager;
  readonly #stream: string;

  constructor(manager: JetStreamManager, stream: string) {
    this.#manager = manager;
    this.#stream = stream;
  }

  static async open(connection: NatsConnection, stream: string): Promise<Latest> {
    return new Latest(await jetstreamManager(connection, { checkAPI: false }), stream);
  }

  /** Undefined when there is none. */
  async read(subject: string, from: ReadFrom): Promise<Stored | undefined> {
    const { streams, direct } = this.#manager;
    const message = await (from === "leader" ? streams : direct).getMessage(this.#stream, {
      last_by_subj: subject,
    });
    return message === null ? undefined : { message, isRelayed: wasRelayed(message.header, from) };
  }
}
