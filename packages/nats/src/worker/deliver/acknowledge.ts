import type { Claimed } from "./claim.ts";
import type { Committed } from "./commit.ts";
import type { DeliveryParts } from "./parts.ts";

/** Takes the message out of the queue, but only when the ledger holds an outcome, whoever wrote it. */
export function acknowledge(
  claimed: Claimed,
  committed: Committed,
  parts: DeliveryParts,
): Promise<void> | undefined {
  if (committed === "late") return acknowledgeLate(claimed, parts);
  claimed.message.ack();
  return undefined;
}

/** Whoever took the call over may still be at it; then the message is theirs. */
async function acknowledgeLate({ message, call }: Claimed, { ledger }: DeliveryParts): Promise<void> {
  const state = (await ledger.read(call.key))?.state.state;
  if (state === "final" || state === "waiting") message.ack();
}
