import { setTimeout as pause } from "node:timers/promises";
import { jetstream, type StoredMsg } from "@nats-io/jetstream";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import { Latest, type ReadFrom } from "./latest.ts";
import { MalformedMessage } from "./malformed-message.ts";
import { tooLong } from "./subject-room.ts";

/** How many pieces a text has, said with the first of them. */
const COUNT = "Tool-Pieces";
const MAX_PIECES = 10_000;
/** Pieces that are on their way at once. */
const AT_ONCE = 8;
/** How often a replica is asked for a piece that it has not got. */
const LOOKS = 20;
const LOOK_AGAIN_MS = 100;

/**
 * Texts that do not fit a message, in pieces under subjects that begin with their names: `$KV.AGENT_OBJECTS.NAME.0` and on.
 * They are written and read without a consumer, and permissions tell callers' texts apart as they do their entries: a name
 * begins with the execution's key.
 */
export class LargeTexts {
  readonly #connection: NatsConnection;
  readonly #stream: string;
  readonly #prefix: string;
  readonly #from: ReadFrom;
  #latest: Promise<Latest> | undefined;

  constructor(connection: NatsConnection, bucket: string, from: ReadFrom) {
    this.#connection = connection;
    this.#stream = `KV_${bucket}`;
    this.#from = from;
    this.#prefix = `$KV.${bucket}.`;
  }

  /** Resolves when the server has all of it, in pieces of at most so many bytes. */
  async put(name: string, text: string, pieceBytes: number): Promise<void> {
    const data = Buffer.from(text);
    const count = Math.max(1, Math.ceil(data.length / pieceBytes));
    const client = jetstream(this.#connection);
    const first = headers();
    first.set(COUNT, String(count));
    await inTurns(count, async (piece) => {
      const bytes = data.subarray(piece * pieceBytes, (piece + 1) * pieceBytes);
      await client.publish(this.#subject(name, piece), bytes, piece === 0 ? { headers: first } : {});
    });
  }

  /** Rejects as malformed when it is not there, or is not what somebody wrote in their own name. */
  async get(name: string): Promise<string> {
    const first = await this.#piece(name, 0);
    const count = Number(first.header.get(COUNT));
    if (!Number.isSafeInteger(count) || count < 1 || count > MAX_PIECES)
      throw new MalformedMessage(`the large text ${name} does not say how many pieces it has`);
    const pieces: Uint8Array[] = [first.data];
    await inTurns(count - 1, async (index) => {
      pieces[index + 1] = (await this.#piece(name, index + 1)).data;
    });
    return new TextDecoder().decode(Buffer.concat(pieces));
  }

  async #piece(name: string, piece: number): Promise<StoredMsg> {
    this.#latest ??= Latest.open(this.#connection, this.#stream);
    const latest = await this.#latest;
    const subject = this.#subject(name, piece);
    for (let look = 1; ; look++) {
      const stored = await latest.read(subject, this.#from);
      if (stored?.isRelayed === false) return stored.message;
      // Its name is told after it is stored, so a replica that has not got it is behind.
      if (stored !== undefined || this.#from === "leader" || look === LOOKS)
        throw new MalformedMessage(`the large text ${name} is not there, or no longer whole`);
      await pause(LOOK_AGAIN_MS);
    }
  }

  #subject(name: string, piece: number): string {
    if (!/^[\w=-]+(?:\.[\w=-]+)+$/.test(name))
      throw new MalformedMessage(`"${name}" is not the name of a large text`);
    const unfit = tooLong("text", name);
    if (unfit !== undefined) throw new MalformedMessage(`the name of a large text ${unfit}`);
    return `${this.#prefix}${name}.${piece}`;
  }
}

/** Does it for 0 to `count` - 1, a few at once. */
async function inTurns(count: number, act: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, one));
}
