import { headers, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import { tooLong } from "./subject-room.ts";

/** A message on its way. */
export interface Letter {
  subject: string;
  data: string | Uint8Array;
  reply?: string | undefined;
  headers?: MsgHdrs | undefined;
  /** The server takes it only if the subject's last message has this sequence; 0: if it has none. In place of headers. */
  expected?: number | undefined;
}

/**
 * Sends all messages of one turn of the event loop together, so that the client writes them at once (in pieces of 32 KiB). Without
 * it the client writes as soon as the first sender has finished: calls at different stages would cost a write each, and a write
 * costs more than everything else that is done for a message.
 */
export class Outbox {
  readonly #connection: NatsConnection;
  /** Called with messages that cannot be sent at all. Must not throw. */
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
    for (const letter of letters) this.#publish(letter);
  }

  #publish(letter: Letter): void {
    const { subject, data, reply = "", headers: given, expected } = letter;
    try {
      const unfit = tooLong("address", reply === "" ? subject : `${subject} ${reply}`);
      if (unfit !== undefined) throw new RangeError(`${subject.slice(0, 100)}… ${unfit}`);
      const fields = expected === undefined ? given : condition(expected);
      this.#connection.publish(subject, data, fields === undefined ? { reply } : { reply, headers: fields });
    } catch (error) {
      this.#onUnsent(letter, error);
    }
  }
}

const CONDITION = "Nats-Expected-Last-Subject-Sequence";

/** Of a message for a subject that must have none yet, as for the first entry of every call. */
const FIRST = newCondition(0);

function condition(expected: number): MsgHdrs {
  return expected === 0 ? FIRST : newCondition(expected);
}

function newCondition(expected: number): MsgHdrs {
  const made = headers();
  made.append(CONDITION, String(expected));
  return made;
}
