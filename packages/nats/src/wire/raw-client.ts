import type { NatsConnection } from "@nats-io/transport-node";

/** What the client has beneath `publish`. */
interface Protocol {
  /** Writes bytes as they are, with what else is written in this turn. */
  sendCommand(bytes: Uint8Array): void;
  noMorePublishing: boolean;
  outMsgs: number;
  outBytes: number;
}

/** Lets messages be written that are in the words of the protocol already. */
export class RawClient {
  readonly #connection: NatsConnection;
  readonly #protocol: Protocol;

  private constructor(connection: NatsConnection, protocol: Protocol) {
    this.#connection = connection;
    this.#protocol = protocol;
  }

  /** Undefined for a client that is made otherwise. */
  static of(connection: NatsConnection): RawClient | undefined {
    const { protocol } = connection as { protocol?: Partial<Protocol> };
    const { sendCommand, noMorePublishing, outMsgs, outBytes } = protocol ?? {};
    const isKnown =
      typeof sendCommand === "function" &&
      typeof noMorePublishing === "boolean" &&
      typeof outMsgs === "number" &&
      typeof outBytes === "number";
    return isKnown ? new RawClient(connection, protocol as Protocol) : undefined;
  }

  /** What a message may hold, with its headers, in bytes. 0 when none can be sent now: then `publish` says why. */
  room(): number {
    const { info } = this.#connection;
    if (this.#connection.isClosed() || this.#protocol.noMorePublishing || !info?.headers) return 0;
    return info.max_payload;
  }

  write(messages: number, words: string): void {
    if (messages === 0) return;
    const bytes = Buffer.from(words);
    this.#protocol.outMsgs += messages;
    this.#protocol.outBytes += bytes.length;
    this.#protocol.sendCommand(bytes);
  }
}
