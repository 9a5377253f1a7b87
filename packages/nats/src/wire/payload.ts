import type { NatsConnection } from "@nats-io/transport-node";
import type { ToolResult } from "@toolrig/core";
import { type MaybePromise, newId } from "@toolrig/core/kit";
import { LargeTexts } from "./large-texts.ts";
import type { ReadFrom } from "./latest.ts";
import { type FinalState, readResult } from "./messages.ts";
import { retrying, within } from "./retrying.ts";

/** Room for headers and subject beside a payload. */
const MARGIN = 4_096;
const MAX_BYTES = 512 * 1024;
/** Beneath it nothing would be left: a server that takes less is none for a fleet. */
const MIN_BYTES = 1_024;
/** A reader whose connection broke may never hear of it. */
const LOAD_MS = 60_000;

/** Calls and results of any size: what does not fit a message is kept beside it, and the message names it. */
export class Payloads {
  readonly #connection: NatsConnection;
  readonly #large: LargeTexts;

  constructor(connection: NatsConnection, { objects, from }: { objects: string; from: ReadFrom }) {
    this.#connection = connection;
    this.#large = new LargeTexts(connection, objects, from);
  }

  /** A text as it can be sent: itself, or the name of the object that holds it. Rejects when that cannot be kept. */
  async fit(name: string, text: string, goesOn = () => true): Promise<string> {
    return this.fits(text) ? text : JSON.stringify({ object: await this.#put(name, text, goesOn) });
  }

  /** What `fit` was given. A server that is away is waited for. */
  load(object: string): Promise<string> {
    return this.#retrying(() => within(LOAD_MS, this.#large.get(object)));
  }

  /** The ledger entry of an outcome, its result moved out if it is too large. Rejects when that cannot be kept. */
  entry(key: string, fingerprint: string, result: ToolResult): MaybePromise<string> {
    const at = Date.now();
    const encoded = encode(result);
    const text = `{"state":"final","fingerprint":${JSON.stringify(fingerprint)},"at":${at},"result":${encoded}}`;
    if (this.fits(text)) return text;
    return this.#put(`${key}.result`, encoded).then((object) =>
      JSON.stringify({ state: "final", fingerprint, at, object }),
    );
  }

  /** The result of a final state, wherever it is. */
  resultOf(state: FinalState): MaybePromise<ToolResult> {
    if ("result" in state) return state.result;
    return this.load(state.object).then(readResult);
  }

  fits(text: string): boolean {
    const most = this.#most();
    // A character takes at most three bytes.
    return text.length * 3 <= most || Buffer.byteLength(text) <= most;
  }

  /**
   * Every text has a name of its own: whoever writes a second one for the same call, such as a worker that was given up,
   * changes nothing that an entry names already. Those that no entry names expire.
   */
  async #put(place: string, text: string, goesOn?: () => boolean): Promise<string> {
    const name = `${place}.${newId("text")}`;
    await this.#retrying(() => this.#large.put(name, text, this.#most()), goesOn);
    return name;
  }

  #retrying<T>(act: () => Promise<T>, goesOn = () => true): Promise<T> {
    return retrying(act, () => !this.#connection.isClosed() && goesOn());
  }

  /** What fits a message, in bytes. */
  #most(): number {
    const { max_payload = 1_048_576 } = this.#connection.info ?? {};
    return Math.max(MIN_BYTES, Math.min(MAX_BYTES, max_payload - MARGIN));
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
