import { type JetStreamManager, jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { ToolrigError } from "@toolrig/core";
import { newId } from "@toolrig/core/kit";
import { AckedPublisher } from "../wire/acked-publisher.ts";
import { leave, type NatsOptions, open } from "../wire/connection.ts";
import { SUBJECT, token } from "../wire/names.ts";
import { type FleetOptions, setUp } from "./setup.ts";

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
  await publisher.publish(`${SUBJECT.deadLetter}.${token(tool).slice(0, 200)}`, message.data, {
    "Nats-Msg-Id": `dlq-${oneLine(id)}`,
    "Tool-Name": oneLine(tool),
    "Tool-Reason": oneLine(reason),
    "Tool-Origin": message.subject,
  });
}

/** A header holds one line; what came from outside may hold anything. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]+/g, " ").slice(0, 500);
}

/** Looks at what was put aside, and sends it on its way again or drops it. */
export class DeadLetters {
  readonly #connection: NatsConnection;
  readonly #manager: JetStreamManager;
  readonly #stream: string;
  readonly #publisher: AckedPublisher;

  private constructor(
    connection: NatsConnection,
    manager: JetStreamManager,
    stream: string,
    publisher: AckedPublisher,
  ) {
    this.#connection = connection;
    this.#manager = manager;
    this.#stream = stream;
    this.#publisher = publisher;
  }

  static async connect({
    nats,
    fleet = {},
  }: {
    nats: NatsOptions;
    fleet?: FleetOptions;
  }): Promise<DeadLetters> {
    const connection = await open(nats, newId("dlq"));
    try {
      const { deadLetters } = await setUp(connection, fleet);
      const manager = await jetstreamManager(connection, { checkAPI: false });
      const publisher = new AckedPublisher(connection, nats);
      return new DeadLetters(connection, manager, deadLetters, publisher);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Oldest first. */
  async list(limit = 100): Promise<DeadLetter[]> {
    const { state } = await this.#manager.streams.info(this.#stream);
    const letters: DeadLetter[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq && letters.length < limit; seq++) {
      const stored = await this.#read(seq);
      if (stored !== null) letters.push(asLetter(stored));
    }
    return letters;
  }

  async show(seq: number): Promise<DeadLetter> {
    const stored = await this.#read(seq);
    if (stored === null)
      throw new ToolrigError("OPTION_INVALID", `There is no dead letter ${seq}. List them first.`);
    return asLetter(stored);
  }

  /**
   * Back into the queue, as an execution of its own: the old one has its outcome, and that stands. Returns the new
   * execution's id, or undefined for a message that is not a call.
   */
  async retry(seq: number): Promise<string | undefined> {
    const letter = await this.show(seq);
    const executionId = newId("exec");
    const renewed = renew(letter.body, executionId);
    await this.#publisher.publish(letter.origin, renewed ?? letter.body);
    await this.drop(seq);
    return renewed === undefined ? undefined : executionId;
  }

  async drop(seq: number): Promise<void> {
    await this.#manager.streams.deleteMessage(this.#stream, seq);
  }

  async close(): Promise<void> {
    this.#publisher.close();
    await leave(this.#connection);
  }

  #read(seq: number): Promise<StoredMsg | null> {
    return this.#manager.streams.getMessage(this.#stream, { seq }).catch(() => null);
  }
}

/** The call under another execution id. Its approval was for the old one. */
function renew(body: string, executionId: string): string | undefined {
  try {
    const value = JSON.parse(body) as Record<string, unknown>;
    if (typeof value !== "object" || value === null || "object" in value) return undefined;
    const { caller: _, approval: __, ...rest } = value;
    return JSON.stringify("call" in rest ? { ...rest, executionId } : { call: rest, executionId });
  } catch {
    return undefined;
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
