import { type KV, Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { type AckedPublisher, PublishError } from "./acked-publisher.ts";
import { type ExecutionState, readState } from "./messages.ts";

export interface LedgerEntry {
  state: ExecutionState | LostState;
  revision: number;
}

/** What stood there was deleted or overwritten by something else: whether the call ran is not known. */
export interface LostState {
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
  readonly #bucket: KV;
  readonly #subject: string;

  private constructor(publisher: AckedPublisher, bucket: KV, name: string) {
    this.#publisher = publisher;
    this.#bucket = bucket;
    this.#subject = `$KV.${name}.`;
  }

  static async open(
    connection: NatsConnection,
    publisher: AckedPublisher,
    name: string,
  ): Promise<CallLedger> {
    const bucket = await new Kvm(connection).open(name, { allow_direct: true });
    return new CallLedger(publisher, bucket, name);
  }

  /** Undefined when nothing was ever written for the execution, or it was forgotten since. */
  async read(key: string): Promise<LedgerEntry | undefined> {
    const entry = await this.#bucket.get(key);
    if (entry === null) return undefined;
    const state = entry.operation === "PUT" ? stateOf(entry.string()) : LOST;
    return { state, revision: entry.revision };
  }

  /** The same, however long the server is away. */
  insist(key: string): Promise<LedgerEntry | undefined> {
    return this.#insist(() => this.read(key));
  }

  /**
   * Writes an encoded state if nobody wrote since `revision` (0: nobody ever). Resolves with the new revision, or undefined
   * when somebody did. A write whose answer was lost is repeated for as long as there is a connection to be had, and looked
   * up before it counts as somebody else's: what a tool did must not be lost to a server that is away.
   */
  async write(key: string, text: string, revision: number): Promise<number | undefined> {
    for (;;) {
      try {
        return (await this.#publisher.compareAndSet(this.#subject + key, text, revision)).seq;
      } catch (error) {
        if (!(error instanceof PublishError)) throw error;
        if (error.isConflict) return await this.#ownWrite(key, text);
        if (!error.isUncertain || this.#publisher.closed) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  #ownWrite(key: string, text: string): Promise<number | undefined> {
    return this.#insist(async () => {
      const entry = await this.#bucket.get(key);
      return entry?.operation === "PUT" && entry.string() === text ? entry.revision : undefined;
    });
  }

  async #insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (this.#publisher.closed) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }
}

function stateOf(text: string): ExecutionState | LostState {
  try {
    return readState(text);
  } catch {
    return LOST;
  }
}
