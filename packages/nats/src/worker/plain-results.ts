import type { NatsConnection } from "@nats-io/transport-node";
import type { ToolResult } from "@toolrig/core";
import type { CallMessage } from "../wire/messages.ts";
import { token } from "../wire/names.ts";
import type { Payloads } from "../wire/payload.ts";

export interface PlainResultParts {
  connection: NatsConnection;
  payloads: Payloads;
  /** Subjects without their last token, which is the call's id. */
  prefixes: readonly string[];
}

/**
 * Answers a plain call, `{ id, name, arguments }`, with its plain result on `tool.result.ID`, beside the entry in the ledger: whoever
 * publishes calls like this need not know of the ledger. Said once and not stored. One that is too large only says that it
 * is there.
 */
export class PlainResults {
  readonly #parts: PlainResultParts;

  constructor(parts: PlainResultParts) {
    this.#parts = parts;
  }

  tell({ plain, key, call }: CallMessage, result: ToolResult): void {
    if (!plain) return;
    const { connection, payloads, prefixes } = this.#parts;
    const { value: _, details: __, ...short } = result;
    const text = [result, short, { ...short, content: [], truncated: key }]
      .map((each) => JSON.stringify(each))
      .find((each) => payloads.fits(each));
    if (text === undefined || connection.isClosed() || connection.isDraining()) return;
    for (const prefix of prefixes) connection.publish(`${prefix}.${token(call.id)}`, text);
  }
}
