import { type JetStreamManager, jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { ToolrigError } from "@toolrig/core";
import type { AckedPublisher } from "./acked-publisher.ts";
import { SUBJECT, token } from "./names.ts";

/** A call that no worker will run any more, with the reason. */
export interface DeadLetter {
  /** Its number in the dead-letter stream. */
  seq: number;
  tool: string;
  reason: string;
  /** The subject it came on, and goes back to. */
  origin: string;
  at: number;
  body: string;
}

/** Puts a message aside. The same message is put aside once, however often it is delivered. */
export async function bury(
  publisher: AckedPublisher,
  message: { subject: string; data: Uint8Array },
  { tool, reason, id }: { tool: string; reason: string; id: string },
): Promise<void> {
  await publisher.publish(`${SUBJECT.deadLetter}.${token(tool)}`, message.data, {
    "Nats-Msg-Id": `dlq-${id}`,
    "Tool-Name": tool,
    "Tool-Reason": reason,
    "Tool-Origin": message.subject,
  });
}

/** Looks at what was put aside, and sends it on its way again or drops it. */
export class DeadLetters {
  readonly #manager: JetStreamManager;
  readonly #stream: string;
  readonly #publisher: AckedPublisher;

  private constructor(manager: JetStreamManager, stream: string, publisher: AckedPublisher) {
    this.#manager = manager;
    this.#stream = stream;
    this.#publisher = publisher;
  }

  static async open(
    connection: NatsConnection,
    stream: string,
    publisher: AckedPublisher,
  ): Promise<DeadLetters> {
    return new DeadLetters(await jetstreamManager(connection), stream, publisher);
  }

  /** Oldest first. */
  async list(limit = 100): Promise<DeadLetter[]> {
    const { state } = await this.#manager.streams.info(this.#stream);
    const letters: DeadLetter[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq && letters.length < limit; seq++) {
      const stored = await this.#manager.streams.getMessage(this.#stream, { seq }).catch(() => null);
      if (stored !== null) letters.push(asLetter(stored));
    }
    return letters;
  }

  async show(seq: number): Promise<DeadLetter> {
    const stored = await this.#manager.streams.getMessage(this.#stream, { seq }).catch(() => null);
    if (stored === null)
      throw new ToolrigError("OPTION_INVALID", `There is no dead letter ${seq}. List them first.`);
    return asLetter(stored);
  }

  /** Back into the queue. Safe: the journal still decides whether the call may run. */
  async retry(seq: number): Promise<void> {
    const letter = await this.show(seq);
    await this.#publisher.publish(letter.origin, letter.body);
    await this.drop(seq);
  }

  async drop(seq: number): Promise<void> {
    await this.#manager.streams.deleteMessage(this.#stream, seq);
  }
}

function asLetter(stored: StoredMsg): DeadLetter {
  return {
    seq: stored.seq,
    tool: stored.header.get("Tool-Name"),
    reason: stored.header.get("Tool-Reason"),
    origin: stored.header.get("Tool-Origin"),
    at: Date.parse(stored.timestamp),
    body: new TextDecoder().decode(stored.data),
  };
}
