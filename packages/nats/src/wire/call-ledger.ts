import { type KV, Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { type AckedPublisher, PublishError } from "./acked-publisher.ts";
import { type ExecutionState, readState } from "./messages.ts";

export interface LedgerEntry {
  state: ExecutionState;
  revision: number;
}

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

  async read(key: string): Promise<LedgerEntry | undefined> {
    const entry = await this.#bucket.get(key);
    if (entry === null || entry.operation !== "PUT") return undefined;
    return { state: readState(entry.string()), revision: entry.revision };
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

  async #ownWrite(key: string, text: string): Promise<number | undefined> {
    for (;;) {
      try {
        const entry = await this.#bucket.get(key);
        return entry?.operation === "PUT" && entry.string() === text ? entry.revision : undefined;
      } catch (error) {
        if (this.#publisher.closed) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }
}
