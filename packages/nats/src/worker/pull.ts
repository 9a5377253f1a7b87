import type { Consumer, ConsumerMessages, JsMsg } from "@nats-io/jetstream";

const EXPIRES_MS = 30_000;
const RETRY_MS = 250;

/**
 * Asks for as many messages as there are free slots, never more: what is pulled runs, and what cannot run here stays on
 * the server for other workers. Asks again when half of the slots are free, or when nothing is on its way.
 */
export class Pull {
  readonly #consumer: Consumer;
  readonly #slots: number;
  readonly #handle: (message: JsMsg) => Promise<void>;
  readonly #fetches = new Set<ConsumerMessages>();
  #active = 0;
  #requested = 0;
  #stopped = false;

  constructor(consumer: Consumer, slots: number, handle: (message: JsMsg) => Promise<void>) {
    this.#consumer = consumer;
    this.#slots = slots;
    this.#handle = handle;
  }

  start(): void {
    this.#refill();
  }

  /** Takes nothing new. What arrives after this goes back at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#fetches].map((messages) => messages.close()));
  }

  #refill(): void {
    if (this.#stopped) return;
    const free = this.#slots - this.#active - this.#requested;
    if (free <= 0 || (this.#requested > 0 && free < this.#slots / 2)) return;
    this.#requested += free;
    void this.#fetch(free);
  }

  async #fetch(count: number): Promise<void> {
    let left = count;
    try {
      const messages = await this.#consumer.fetch({ max_messages: count, expires: EXPIRES_MS });
      this.#fetches.add(messages);
      for await (const message of messages) {
        left -= 1;
        this.#requested -= 1;
        this.#take(message);
      }
      this.#fetches.delete(messages);
    } catch {
      // The connection or the consumer is gone for now; the client reconnects by itself.
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    this.#requested -= left;
    this.#refill();
  }

  #take(message: JsMsg): void {
    if (this.#stopped) {
      message.nak();
      return;
    }
    this.#active += 1;
    void this.#handle(message).finally(() => {
      this.#active -= 1;
      this.#refill();
    });
  }
}
