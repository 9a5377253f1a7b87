import { type ObjectStore, Objm } from "@nats-io/obj";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { ToolResult } from "@toolrig/core";
import { type MaybePromise, newId } from "@toolrig/core/kit";
import type { FinalState } from "./messages.ts";
import { retrying, within } from "./retrying.ts";

/** Room for headers and subject beside a payload. */
const MARGIN = 4_096;
const MAX_BYTES = 512 * 1024;
/** A reader whose connection broke may never hear of it. */
const LOAD_MS = 60_000;

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

  /** A text as it can be sent: itself, or the name of the object that holds it. Rejects when that cannot be kept. */
  async fit(name: string, text: string, goesOn = () => true): Promise<string> {
    return this.fits(text) ? text : JSON.stringify({ object: await this.#put(name, text, goesOn) });
  }

  /** What `fit` was given. A server that is away is waited for. */
  async load(object: string): Promise<string> {
    const data = await this.#retrying(async () => within(LOAD_MS, (await this.#open()).getBlob(object)));
    if (data === null) throw new Error(`the object ${object} is no longer in the object store`);
    return new TextDecoder().decode(data);
  }

  /** The ledger entry of an outcome, its result moved out if it is too large. Rejects when that cannot be kept. */
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

  /**
   * Every object has a name of its own: whoever writes a second one for the same call, such as a worker that was given up,
   * changes nothing that an entry names already. Those that no entry names expire.
   */
  async #put(place: string, text: string, goesOn?: () => boolean): Promise<string> {
    const name = `${place}/${newId("object")}`;
    const data = new TextEncoder().encode(text);
    await this.#retrying(async () => (await this.#open()).putBlob({ name }, data), goesOn);
    return name;
  }

  #retrying<T>(act: () => Promise<T>, goesOn = () => true): Promise<T> {
    return retrying(act, () => !this.#connection.isClosed() && goesOn());
  }

  /** Objects live a little longer than the entries that name them. */
  #open(): Promise<ObjectStore> {
    const { objects, ledgerTtlMs, replicas } = this.#options;
    const manager = new Objm(this.#connection);
    const ttl = Number.isFinite(ledgerTtlMs) ? nanos(ledgerTtlMs + 3_600_000) : 0;
    this.#store ??= manager
      .create(objects, { ttl, replicas })
      // Who may not make one can use the one that is there. That none is there says less than why it could not be made.
      .catch((cause: unknown) => manager.open(objects).catch(() => Promise.reject(cause)))
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
