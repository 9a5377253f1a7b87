import { headers, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import { defined } from "@toolrig/core/kit";
import { RawClient } from "./raw-client.ts";
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

/** So many characters are written before the rest is put into words: a turn may have more to say than a text can hold. */
const ENOUGH = 262_144;

/**
 * Sends all that one turn of the event loop has to say in one write. Left to itself the client writes as soon as the first who
 * spoke has finished, so calls that are at different stages cost a write each, and a write costs more than all else that is
 * done for a message. What is only text is put into the protocol's words here and encoded once: the client makes four arrays
 * of bytes of every message, and then one of all of them.
 */
export class Outbox {
  readonly #connection: NatsConnection;
  readonly #raw: RawClient | undefined;
  /** Told of letters that cannot be sent at all. Must not throw. */
  readonly #onUnsent: (letter: Letter, error: unknown) => void;
  #letters: Letter[] = [];

  constructor(connection: NatsConnection, onUnsent: (letter: Letter, error: unknown) => void) {
    this.#connection = connection;
    this.#raw = RawClient.of(connection);
    this.#onUnsent = onUnsent;
  }

  send(letter: Letter): void {
    if (this.#letters.push(letter) === 1) process.nextTick(() => this.#empty());
  }

  #empty(): void {
    const letters = this.#letters;
    this.#letters = [];
    const room = this.#raw?.room() ?? 0;
    let words = "";
    let count = 0;
    const write = () => {
      this.#raw?.write(count, words);
      words = "";
      count = 0;
    };
    for (const letter of letters) {
      const said = inWords(letter, room);
      if (said === undefined) {
        write();
        this.#publish(letter);
        continue;
      }
      words += said;
      count += 1;
      if (words.length > ENOUGH) write();
    }
    write();
  }

  #publish(letter: Letter): void {
    const { subject, data, reply, headers: given, expected } = letter;
    const fields = expected === undefined ? given : condition(expected);
    try {
      const unfit = tooLong("address", addressOf(letter));
      if (unfit !== undefined) throw new RangeError(`${subject.slice(0, 100)}… ${unfit}`);
      this.#connection.publish(subject, data, {
        ...defined({ reply, headers: fields }),
      });
    } catch (error) {
      this.#onUnsent(letter, error);
    }
  }
}

const CONDITION = "Nats-Expected-Last-Subject-Sequence";

function condition(expected: number): MsgHdrs {
  const made = headers();
  made.append(CONDITION, String(expected));
  return made;
}

/** A message in the words of the protocol. Undefined for one that the client has to encode, or to refuse. */
function inWords({ subject, data, reply, headers, expected }: Letter, room: number): string | undefined {
  if (typeof data !== "string" || headers !== undefined || !isOneWord(subject)) return undefined;
  if (reply !== undefined && !isOneWord(reply)) return undefined;
  const to = addressOf({ subject, reply });
  const head = expected === undefined ? "" : `NATS/1.0\r\n${CONDITION}: ${expected}\r\n\r\n`;
  const size = head.length + Buffer.byteLength(data);
  if (size > room || tooLong("address", to) !== undefined) return undefined;
  return head === ""
    ? `PUB ${to} ${size}\r\n${data}\r\n`
    : `HPUB ${to} ${head.length} ${size}\r\n${head}${data}\r\n`;
}

function addressOf({ subject, reply }: Pick<Letter, "subject" | "reply">): string {
  return reply === undefined ? subject : `${subject} ${reply}`;
}

/** What has a space or a line's end in it could say more than it should. */
function isOneWord(text: string): boolean {
  return /^[^ \t\r\n]+$/.test(text);
}
