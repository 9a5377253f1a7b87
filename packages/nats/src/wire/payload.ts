import { type ObjectStore, Objm } from "@nats-io/obj";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { ToolResult } from "@toolrig/core";
import type { MaybePromise } from "@toolrig/core/kit";
import type { FinalState } from "./messages.ts";

/** Room for headers and subject beside a payload. */
const MARGIN = 4_096;
const MAX_BYTES = 512 * 1024;

/** Where objects are kept, and how long the entries live that name them. */
interface ObjectOptions {
  objects: string;
  replicas: number;
  ledgerTtlMs: number;
}

/** Calls and results of any size: what does not fit a message is kept as an object that the message names. */
export class Payloads {
  readonly #connection: NatsConnection;
  readonly #options: ObjectOptions;
  #store: Promise<ObjectStore> | undefined;

  constructor(connection: NatsConnection, options: ObjectOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** A text as it can be sent: itself, or the name of the object that holds it. */
  async fit(name: string, text: string): Promise<string> {
    return this.fits(text) ? text : JSON.stringify({ object: await this.#put(name, text) });
  }

  /** What `fit` was given. */
  async load(object: string): Promise<string> {
    const data = await (await this.#open()).getBlob(object);
    if (data === null) throw new Error(`the object ${object} is no longer in the object store`);
    return new TextDecoder().decode(data);
  }

  /** The ledger entry of an outcome, its result moved out if it is too large. */
  entry(key: string, fingerprint: string, result: ToolResult): MaybePromise<string> {
    const at = Date.now();
    const encoded = encode(result);
    const text = `{"state":"final","fingerprint":${JSON.stringify(fingerprint)},"at":${at},"result":${encoded}}`;
    if (this.fits(text)) return text;
    return this.#put(`${key}/result`, encoded).then((object) =>
      JSON.stringify({ state: "final", fingerprint, at, object }),
    );
  }

  /** The result of a final state, wherever it is. */
  resultOf(state: FinalState): MaybePromise<ToolResult> {
    if ("result" in state) return state.result;
    return this.load(state.object).then((text) => JSON.parse(text) as ToolResult);
  }

  fits(text: string): boolean {
    const most = Math.min(MAX_BYTES, (this.#connection.info?.max_payload ?? 1_048_576) - MARGIN);
    // A character takes at most three bytes.
    return text.length * 3 <= most || Buffer.byteLength(text) <= most;
  }

  async #put(name: string, text: string): Promise<string> {
    const store = await this.#open();
    await store.putBlob({ name }, new TextEncoder().encode(text));
    return name;
  }

  /** Objects live a little longer than the entries that name them. */
  #open(): Promise<ObjectStore> {
    const { objects, ledgerTtlMs, replicas } = this.#options;
    const manager = new Objm(this.#connection);
    const ttl = Number.isFinite(ledgerTtlMs) ? nanos(ledgerTtlMs + 3_600_000) : 0;
    this.#store ??= manager
      .create(objects, { ttl, replicas })
      .catch(() => manager.open(objects))
      .catch((error: unknown) => {
        this.#store = undefined;
        throw error;
      });
    return this.#store;
  }
}

/** What a tool returned may be anything; only what JSON can hold travels. `content` always can. */
function encode(result: ToolResult): string {
  try {
    return JSON.stringify(result);
  } catch {
    const { value: _, details: __, ...rest } = result;
    return JSON.stringify(rest);
  }
}
