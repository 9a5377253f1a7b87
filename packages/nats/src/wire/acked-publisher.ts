import {
  createInbox,
  headers,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Subscription,
} from "@nats-io/transport-node";
import { messageOf } from "@toolrig/core/kit";
import { accepted, listen, type Refusals } from "./listen.ts";
import { type Letter, Outbox } from "./outbox.ts";
import { TransientMap } from "./transient-map.ts";

/** What stands in the head of a message, by name. */
type Fields = { readonly [name: string]: string };

/** What the server says to an accepted publish. */
export interface PublishAck {
  seq: number;
  /** Its answer as it came. */
  said: Uint8Array;
}

/** A publish that the server refused, or whose fate is not known. */
export class PublishError extends Error {
  /** The server's error code, or 0 when it never answered. */
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.name = "PublishError";
    this.code = code;
  }

  /** Somebody else wrote the subject first. */
  get isConflict(): boolean {
    return this.code === 10071 || this.code === 10164;
  }

  /** The stream is full and takes nothing new. */
  get isFull(): boolean {
    return this.code === 10077 || this.code === 10122 || this.code === 10167;
  }

  /** No stream takes the subject, or none that this account can reach. */
  get isUnheard(): boolean {
    return this.code === 503;
  }

  /** No answer came: the message may or may not be stored. */
  get isUncertain(): boolean {
    return this.code === 0 || this.isUnheard;
  }
}

/** Who is told what came of a message, once. */
export interface Receipt {
  /** The server stored it under this sequence, and said so. */
  accepted(seq: number, said: Uint8Array): void;
  refused(error: PublishError): void;
}

/** A message that the server has not answered yet. */
interface Unanswered extends Letter {
  receipt: Receipt;
  deadline: number;
}

const SWEEP_MS = 250;

/**
 * Publishes to JetStream and resolves when the server has stored the message. All acknowledgements share one
 * subscription and one timer: a request of its own for each publish costs several times as much.
 */
export class AckedPublisher {
  /** What is sent beside, together with what is published in the same turn. */
  readonly outbox: Outbox;
  readonly #connection: NatsConnection;
  readonly #timeoutMs: number;
  readonly #inbox: string;
  readonly #subscription: Subscription;
  readonly #waiting = new TransientMap<string, Unanswered>();
  readonly #sweeper: ReturnType<typeof setInterval>;
  readonly #refusals: Refusals = [];
  #count = 0;
  #closed = false;

  constructor(
    connection: NatsConnection,
    { timeoutMs = 5_000, inboxPrefix }: { timeoutMs?: number; inboxPrefix?: string } = {},
  ) {
    this.outbox = new Outbox(connection, ({ reply }, error) => this.#unsent(reply, error));
    this.#connection = connection;
    this.#timeoutMs = timeoutMs;
    this.#inbox = `${createInbox(inboxPrefix)}.`;
    const take = (message: Msg) => this.#answered(message.subject.slice(this.#inbox.length), message);
    this.#subscription = listen(connection, `${this.#inbox}*`, take, { refusals: this.#refusals });
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS);
    this.#sweeper.unref();
    void this.#watch();
  }

  /** Throws `CONFIG_INVALID` when the server's answers cannot be heard. */
  ready(): Promise<void> {
    return accepted(this.#connection, this.#refusals);
  }

  publish(subject: string, data: string | Uint8Array, fields?: Fields): Promise<PublishAck> {
    return this.#acknowledged((receipt) => this.sendWith(fields, subject, data, receipt));
  }

  /** Writes only if the subject's last message has sequence `expected`; 0 means that there is none. */
  compareAndSet(subject: string, data: string, expected: number): Promise<PublishAck> {
    return this.#acknowledged((receipt) => this.send(subject, data, receipt, expected));
  }

  /** The same as both, for who needs no promise. */
  send(subject: string, data: string, receipt: Receipt, expected?: number): void {
    this.#send(subject, data, receipt, expected, undefined);
  }

  /** With fields in its head, for who needs no promise. */
  sendWith(fields: Fields | undefined, subject: string, data: string | Uint8Array, receipt: Receipt): void {
    this.#send(subject, data, receipt, undefined, fields === undefined ? undefined : headersOf(fields));
  }

  #acknowledged(send: (receipt: Receipt) => void): Promise<PublishAck> {
    return new Promise((resolve, reject) =>
      send({ accepted: (seq, said) => resolve({ seq, said }), refused: reject }),
    );
  }

  #send(
    subject: string,
    data: string | Uint8Array,
    receipt: Receipt,
    expected: number | undefined,
    headers: MsgHdrs | undefined,
  ): void {
    if (this.#closed) {
      receipt.refused(new PublishError("the publisher was closed", 0));
      return;
    }
    this.#count += 1;
    const id = this.#count.toString(36);
    const reply = this.#inbox + id;
    const deadline = Date.now() + this.#timeoutMs;
    const letter: Unanswered = { subject, data, reply, headers, expected, receipt, deadline };
    this.#waiting.add(id, letter);
    this.outbox.send(letter);
  }

  /** What cannot be sent at all, such as a payload over the limit, will not be sent by trying again. */
  #unsent(reply: string | undefined, error: unknown): void {
    const letter = this.#waiting.take((reply ?? "").slice(this.#inbox.length));
    letter?.receipt.refused(new PublishError(messageOf(error), this.#connection.isClosed() ? 0 : -1));
  }

  get closed(): boolean {
    return this.#closed || this.#connection.isClosed();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#sweeper);
    this.#subscription.unsubscribe();
    this.#giveUp("the publisher was closed");
  }

  /** Answers to what was sent before a connection was there again will not come; waiting for them would only cost time. */
  async #watch(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === "disconnect" || type === "reconnect")
        this.#giveUp("the connection broke before the server answered");
    }
  }

  #giveUp(why: string): void {
    for (const [id, { receipt }] of [...this.#waiting.entries()]) {
      this.#waiting.take(id);
      receipt.refused(new PublishError(why, 0));
    }
  }

  #answered(id: string, message: { data: Uint8Array; headers?: { code: number }; json(): unknown }): void {
    const receipt = this.#waiting.take(id)?.receipt;
    if (receipt === undefined) return;
    if (message.data.length === 0) {
      receipt.refused(new PublishError("no stream takes this subject", message.headers?.code ?? 503));
      return;
    }
    const answer = seqOf(message);
    if (answer instanceof PublishError) receipt.refused(answer);
    else receipt.accepted(answer, message.data);
  }

  #sweep(): void {
    const now = Date.now();
    for (const [id, { receipt, deadline }] of this.#waiting.entries()) {
      if (deadline > now) return;
      this.#waiting.take(id);
      receipt.refused(new PublishError("the server did not answer in time", 0));
    }
  }
}

const PLAIN = Buffer.from('{"stream":"');
const SEQ = Buffer.from('"seq":');
const ZERO = "0".charCodeAt(0);
const END = "}".charCodeAt(0);

/**
 * The sequence in `{"stream":"NAME","seq":1}`, as nearly every answer is, from its bytes: parsing costs fifty times as
 * much. 0 for an answer that says anything else, such as an error: that stands first.
 */
function plainSeq(data: Uint8Array): number {
  let seq = 0;
  let at = data.length - 2;
  for (let place = 1; place <= 1e14; place *= 10) {
    const digit = (data[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) break;
    seq += digit * place;
    at -= 1;
  }
  const isPlain =
    data[data.length - 1] === END && holds(data, SEQ, at + 1 - SEQ.length) && holds(data, PLAIN, 0);
  return isPlain ? seq : 0;
}

function holds(data: Uint8Array, text: Uint8Array, from: number): boolean {
  for (let index = 0; index < text.length; index++) if (data[from + index] !== text[index]) return false;
  return true;
}

function seqOf(message: { data: Uint8Array; json(): unknown }): number | PublishError {
  const plain = plainSeq(message.data);
  if (plain > 0) return plain;
  try {
    const { seq, error } = message.json() as {
      seq?: unknown;
      error?: { err_code?: number; description?: string };
    };
    if (error !== undefined) return new PublishError(error.description ?? "refused", error.err_code ?? -1);
    if (typeof seq === "number") return seq;
  } catch {}
  return new PublishError("what answered is no stream", 0);
}

function headersOf(fields: Fields): MsgHdrs {
  const made = headers();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  return made;
}
