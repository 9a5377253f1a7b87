import type { Claimed } from "./claim.ts";
import type { DeliveryParts } from "./parts.ts";

/**
 * Keeps the message of an answered call, and with it the call's place among those that run at once, until the code of its
 * tool has ended: a tool that does not listen to its signal goes on after its caller was told of the timeout.
 */
export async function linger({ call }: Claimed, { code, overrunMs, counters }: DeliveryParts): Promise<void> {
  const ended = code.ended(call.executionId, overrunMs);
  if (ended !== true && !(await ended)) counters.overran += 1;
}
