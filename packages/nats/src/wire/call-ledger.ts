import { setTimeout as pause } from "node:timers/promises";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import type { AckedPublisher, PublishError } from "./acked-publisher.ts";
import { headerValues } from "./header-values.ts";
import { Latest, type ReadFrom, type Stored } from "./latest.ts";
import { type ExecutionState, readState } from "./messages.ts";
import { tooLong } from "./subject-room.ts";

export interface LedgerEntry {
  state: ExecutionState | LostState;
  revision: number;
}

/** What stood there was deleted or overwritten by something else: whether the call ran is not known. */
interface LostState {
  state: "lost";
  fingerprint?: never;
}

const LOST: LostState = { state: "lost" };

const RETRY_MS = 250;

/**
 * One entry an execution, moved forward by compare-and-set: started, perhaps started again, final. The final entry is
 * the result, so a worker that was given up and returns cannot change what others were told.
 */
export class CallLedger {
  readonly #publisher: AckedPublisher;
  readonly #latest: Latest;
  readonly #from: ReadFrom;
  readonly #subject: string;

  private constructor(publisher: AckedPublisher, latest: Latest, name: string, from: ReadFrom) {
    this.#publisher = publisher;
    this.#latest = latest;
    this.#from = from;
    this.#subject = `$KV.${name}.`;
  }

  /** Workers read from the leader: what they read decides whether a tool runs. */
  static async open(
    connection: NatsConnection,
    publisher: AckedPublisher,
    { ledger: name, from }: { ledger: string; from: ReadFrom },
  ): Promise<CallLedger> {
    return new CallLedger(publisher, await Latest.open(connection, `KV_${name}`), name, from);
  }

  /** Undefined when nothing was ever written for the execution, or it was forgotten since. */
  async read(key: string): Promise<LedgerEntry | undefined> {
    const entry = await this.#get(key);
    if (entry === undefined) return undefined;
    const { message, isRelayed } = entry;
    // What the server wrote in somebody's stead is nobody's entry.
    const isEntry = !message.header.has("KV-Operation") && !isRelayed;
    return { state: isEntry ? stateOf(message.string()) : LOST, revision: message.seq };
  }

  /** Whether the server republished a message from the execution's entry, and nobody only says so. */
  isEntryOf(key: string, message: Msg): boolean {
    const sources = headerValues(message, "Nats-Subject");
    return sources.length === 1 && sources[0] === this.#subject + key;
  }

  /** The same as `read`, however long the server is away. */
  insist(key: string): Promise<LedgerEntry | undefined> {
    return this.#insist(() => this.read(key));
  }

  /**
   * Writes an encoded state if nobody wrote since `revision` (0: nobody ever). Resolves with the new revision, or undefined
   * when somebody did. A write whose answer was lost is repeated for as long as there is a connection to be had, and looked
   * up before it counts as somebody else's: what a tool did must not be lost to a server that is away.
   */
  write(key: string, text: string, revision: number): Promise<number | undefined> {
    return new Promise((resolve) => {
      const refused = (error: PublishError) => resolve(this.#writeAgain(error, key, text, revision));
      this.#publisher.send(this.#subject + key, text, { accepted: resolve, refused }, revision);
    });
  }

  async #writeAgain(
    error: PublishError,
    key: string,
    text: string,
    revision: number,
  ): Promise<number | undefined> {
    if (error.isConflict) return await this.#ownWrite(key, text);
    if (!error.isUncertain || this.#publisher.closed) throw error;
    await pause(RETRY_MS);
    return this.write(key, text, revision);
  }

  #ownWrite(key: string, text: string): Promise<number | undefined> {
    return this.#insist(async () => {
      const message = (await this.#get(key))?.message;
      return message?.string() === text ? message.seq : undefined;
    });
  }

  async #insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (this.#publisher.closed) throw error;
        await pause(RETRY_MS);
      }
    }
  }

  /** Keys come from strangers, too: nothing is kept under one that is too long. */
  async #get(key: string): Promise<Stored | undefined> {
    return tooLong("key", key) === undefined ? this.#latest.read(this.#subject + key, this.#from) : undefined;
  }
}

function stateOf(text: string): ExecutionState | LostState {
  try {
    return readState(text);
  } catch {
    return LOST;
  }
}
