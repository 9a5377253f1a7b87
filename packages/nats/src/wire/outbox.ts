import type { NatsConnection, PublishOptions } from "@nats-io/transport-node";

/** A message on its way. */
export interface Letter extends PublishOptions {
  subject: string;
  data: Uint8Array;
}

/**
 * Sends all that one turn of the event loop has to say in one write. Left to itself the client writes as soon as the first who
 * spoke has finished, so calls that are at different stages cost a write each, and a write costs more than all else that is
 * done for a message.
 */
export class Outbox {
  readonly #connection: NatsConnection;
  /** Told of letters that cannot be sent at all. Must not throw. */
  readonly #onUnsent: (letter: Letter, error: unknown) => void;
  #letters: Letter[] = [];

  constructor(connection: NatsConnection, onUnsent: (letter: Letter, error: unknown) => void) {
    this.#connection = connection;
    this.#onUnsent = onUnsent;
  }

  send(letter: Letter): void {
    if (this.#letters.push(letter) === 1) process.nextTick(() => this.#empty());
  }

  #empty(): void {
    const letters = this.#letters;
    this.#letters = [];
    for (const letter of letters) {
      try {
        this.#connection.publish(letter.subject, letter.data, letter);
      } catch (error) {
        this.#onUnsent(letter, error);
      }
    }
  }
}
