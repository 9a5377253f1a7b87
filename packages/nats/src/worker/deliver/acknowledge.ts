import type { Claimed } from "./claim.ts";
import type { Committed } from "./commit.ts";
import type { DeliveryParts } from "./parts.ts";

/** Takes the message out of the queue, but only when the ledger holds an outcome, whoever wrote it. */
export async function acknowledge(
  { message, call }: Claimed,
  committed: Committed,
  { ledger }: DeliveryParts,
): Promise<void> {
  // Whoever took the call over may still be at it; then the message is theirs.
  if (committed === "late" && (await ledger.read(call.key))?.state.state !== "final") return;
  message.ack();
}
