import { type ObjectStore, Objm } from "@nats-io/obj";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { ToolResult } from "@toolrig/core";
import type { JournalState } from "./wire.ts";

/** Larger entries go to the object store. Well below the server's limit of 1 MB a message. */
const MOST_BYTES = 512 * 1024;

/** Results of any size: what does not fit a journal entry is kept as an object that the entry names. */
export class Payloads {
  readonly #connection: NatsConnection;
  readonly #bucket: string;
  #store: Promise<ObjectStore> | undefined;

  constructor(connection: NatsConnection, bucket: string) {
    this.#connection = connection;
    this.#bucket = bucket;
  }

  /** The entry to write for a final state, its result moved out if it is too large. */
  async fit(executionId: string, state: JournalState): Promise<JournalState> {
    if (state.state !== "final" || !("result" in state)) return state;
    const data = new TextEncoder().encode(JSON.stringify(state.result));
    if (data.length <= MOST_BYTES) return state;
    const store = await this.#open();
    await store.putBlob({ name: executionId }, data);
    return { state: "final", fingerprint: state.fingerprint, object: executionId, at: state.at };
  }

  /** The result of a final state, wherever it is. */
  async resultOf(state: Extract<JournalState, { state: "final" }>): Promise<ToolResult> {
    if ("result" in state) return state.result;
    const data = await (await this.#open()).getBlob(state.object);
    if (data === null) throw new Error(`the result ${state.object} is no longer in the object store`);
    return JSON.parse(new TextDecoder().decode(data)) as ToolResult;
  }

  #open(): Promise<ObjectStore> {
    this.#store ??= new Objm(this.#connection).create(this.#bucket, { ttl: nanos(86_400_000) });
    return this.#store;
  }
}
