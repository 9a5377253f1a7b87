import { type KV, Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { type AckedPublisher, PublishError } from "./acked-publisher.ts";
import { keyOf } from "./names.ts";
import { type JournalState, readState } from "./wire.ts";

export interface JournalRead {
  state: JournalState;
  revision: number;
}

const RETRIES = 40;
const RETRY_MS = 250;

/**
 * One entry an execution, moved forward by compare-and-set: started, perhaps started again, final. The final entry is
 * the result, so a worker that was given up and returns cannot change what others were told.
 */
export class CallJournal {
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
  ): Promise<CallJournal> {
    const bucket = await new Kvm(connection).open(name, { allow_direct: true });
    return new CallJournal(publisher, bucket, name);
  }

  async read(executionId: string): Promise<JournalRead | undefined> {
    const entry = await this.#bucket.get(keyOf(executionId));
    if (entry === null || entry.operation !== "PUT") return undefined;
    return { state: readState(entry.string()), revision: entry.revision };
  }

  /**
   * Writes if nobody wrote since `revision` (0: nobody ever). Resolves with the new revision, or undefined when somebody
   * did. A write whose answer was lost is looked up before it is tried again, so that it never counts as somebody else's.
   */
  async write(executionId: string, state: JournalState, revision: number): Promise<number | undefined> {
    const text = JSON.stringify(state);
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.#publisher.compareAndSet(this.#subject + keyOf(executionId), text, revision)).seq;
      } catch (error) {
        if (!(error instanceof PublishError)) throw error;
        if (error.isConflict) return await this.#ownWrite(executionId, text);
        if (!error.isUncertain || attempt >= RETRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async #ownWrite(executionId: string, text: string): Promise<number | undefined> {
    const entry = await this.#bucket.get(keyOf(executionId)).catch(() => null);
    return entry?.operation === "PUT" && entry.string() === text ? entry.revision : undefined;
  }
}
