import type { Msg, MsgHdrs } from "@nats-io/transport-node";
import type { Outbox } from "../../wire/outbox.ts";

/** A message of a JetStream consumer, to be settled exactly once. What was settled stays so. */
export class Delivered {
  readonly #message: Msg;
  readonly #outbox: Outbox;
  #answered = false;

  constructor(message: Msg, outbox: Outbox) {
    this.#message = message;
    this.#outbox = outbox;
  }

  get subject(): string {
    return this.#message.subject;
  }

  get data(): Uint8Array {
    return this.#message.data;
  }

  get headers(): MsgHdrs | undefined {
    return this.#message.headers;
  }

  string(): string {
    return this.#message.string();
  }

  /** Whether its acknowledgement was waited for in vain before. Not known after a crash of the server. */
  get redelivered(): boolean {
    return Number(this.#place().at(-5)) > 1;
  }

  /** Its number in the stream. */
  get seq(): string {
    return this.#place().at(-4) ?? "0";
  }

  ack(): void {
    this.#answerOnce("+ACK");
  }

  /** Back to the queue, at once or after a while. */
  nak(delayMs = 0): void {
    this.#answerOnce(
      delayMs > 0 ? `-NAK ${JSON.stringify({ delay: Math.ceil(delayMs) * 1_000_000 })}` : "-NAK",
    );
  }

  /** Out of the queue for good. */
  term(reason: string): void {
    this.#answerOnce(`+TERM ${reason}`);
  }

  /** Still being worked on: nobody else gets it for another ack wait. */
  working(): void {
    if (!this.#answered) this.#answer("+WPI");
  }

  #answerOnce(answer: string): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#answer(answer);
  }

  /** Without a connection nothing can be said, and the message comes again. */
  #answer(answer: string): void {
    const { reply: subject } = this.#message;
    if (subject !== undefined) this.#outbox.send({ subject, data: answer });
  }

  /** `…<deliveries>.<stream seq>.<consumer seq>.<time>.<pending>`, on newer servers with a random token after it. */
  #place(): string[] {
    const tokens = (this.#message.reply ?? "").split(".");
    return tokens.length > 11 ? tokens.slice(0, 11) : tokens;
  }
}
