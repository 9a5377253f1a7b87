import type { NatsConnection } from "@nats-io/transport-node";
import type { ToolResult } from "@toolrig/core";
import { SUBJECT } from "../wire/names.ts";
import type { PendingCall } from "./pending-call.ts";
import { cancelled } from "./remote-failures.ts";

interface Ways {
  /** Writes an outcome over what the ledger holds; false when somebody else has written since. */
  end(result: ToolResult): Promise<boolean>;
  /** Looks what has become of the call. */
  look(): Promise<void>;
}

/** If the cancellation is in the ledger first, the call never runs; otherwise its worker is told, and told again. */
export async function cancelCall(
  pending: PendingCall,
  connection: NatsConnection,
  { end, look }: Ways,
): Promise<void> {
  pending.cancelledAt = Date.now();
  if (await end(cancelled(pending, "before it ran")).catch(() => false)) return;
  tellWorker(connection, pending);
  await look();
}

export function tellWorker(connection: NatsConnection, { key }: PendingCall): void {
  try {
    connection.publish(`${SUBJECT.cancel}.${key}`);
  } catch {
    // The connection is closed or about to be, and the call was answered.
  }
}
