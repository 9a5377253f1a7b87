import type { NatsConnection } from "@nats-io/transport-node";
import type { ToolResult } from "@toolrig/core";
import { SUBJECT } from "../wire/names.ts";
import type { Signer } from "../wire/signature.ts";
import type { PendingCall } from "./pending-call.ts";
import { cancelled } from "./remote-failures.ts";
import { signed } from "./signed.ts";

/** How workers are told. */
export interface Line {
  connection: NatsConnection;
  signer: Signer | undefined;
}

/** Asks whichever worker is at a call, or sees it through, to end it. */
export function publishCancel({ connection, signer }: Line, key: string): void {
  const subject = `${SUBJECT.cancel}.${key}`;
  connection.publish(subject, "", signed(signer, subject, ""));
}

interface Ways {
  /** Writes an outcome over what the ledger holds; false when somebody else has written since. */
  end(result: ToolResult): Promise<boolean>;
  /** Looks what has become of the call. */
  look(): Promise<void>;
}

/** If the cancellation is in the ledger first, the call never runs; otherwise its worker is told, and told again. */
export async function cancelCall(pending: PendingCall, line: Line, { end, look }: Ways): Promise<void> {
  pending.cancelledAt = Date.now();
  if (await end(cancelled(pending, "before it ran")).catch(() => false)) return;
  tellWorker(line, pending);
  await look();
}

export function tellWorker(line: Line, { key }: PendingCall): void {
  try {
    publishCancel(line, key);
  } catch {
    // The connection is closed or about to be, and the call was answered.
  }
}
