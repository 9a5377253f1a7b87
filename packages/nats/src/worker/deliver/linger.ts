import type { Claimed } from "./claim.ts";
import type { DeliveryParts } from "./parts.ts";

/**
 * Keeps the message of an answered call, and with it the call's place among those that run at once, until the code of its
 * tool has ended, which it mostly has: a tool that does not listen to its signal goes on after its caller was told of the timeout.
 */
export function linger(
  { call }: Claimed,
  { code, overrunMs, counters }: DeliveryParts,
): Promise<void> | undefined {
  const ending = code.ended(call.pipelineId, overrunMs);
  if (ending === true) return undefined;
  return ending.then((ended) => {
    if (!ended) counters.overran += 1;
  });
}
