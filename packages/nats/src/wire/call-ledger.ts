import { type DirectStreamAPI, jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { MsgHdrs, NatsConnection } from "@nats-io/transport-node";
import { type AckedPublisher, PublishError } from "./acked-publisher.ts";
import { MalformedMessage } from "./malformed-message.ts";
import { type ExecutionState, readState } from "./messages.ts";
import { wasRelayed } from "./relayed.ts";

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
  readonly #direct: DirectStreamAPI;
  readonly #stream: string;
  readonly #subject: string;

  private constructor(publisher: AckedPublisher, direct: DirectStreamAPI, name: string) {
    this.#publisher = publisher;
    this.#direct = direct;
    this.#stream = `KV_${name}`;
    this.#subject = `$KV.${name}.`;
  }

  static async open(
    connection: NatsConnection,
    publisher: AckedPublisher,
    name: string,
  ): Promise<CallLedger> {
    const { direct } = await jetstreamManager(connection, { checkAPI: false });
    return new CallLedger(publisher, direct, name);
  }

  async read(key: string): Promise<LedgerEntry | undefined> {
    const entry = await this.#get(key);
    if (entry === undefined) return undefined;
    if (wasRelayed(entry.header)) throw new MalformedMessage("the server wrote the entry for somebody else");
    return { state: readState(entry.string()), revision: entry.seq };
  }

  /** Whether the server republished a message from the execution's entry, and nobody only says so. */
  isEntryOf(key: string, headers: MsgHdrs | undefined): boolean {
    const sources = headers?.values("Nats-Subject") ?? [];
    return sources.length === 1 && sources[0] === this.#subject + key;
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
        const entry = await this.#get(key);
        return entry?.string() === text ? entry.seq : undefined;
      } catch (error) {
        if (this.#publisher.closed) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** Undefined also when it was deleted. */
  async #get(key: string): Promise<StoredMsg | undefined> {
    const stored = await this.#direct.getMessage(this.#stream, { last_by_subj: this.#subject + key });
    return stored === null || stored.header.has("KV-Operation") ? undefined : stored;
  }
}
