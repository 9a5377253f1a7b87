import { isThenable, isWaiting } from "@toolrig/core/kit";
import { keyPrefix } from "../../wire/names.ts";
import { acknowledge } from "./acknowledge.ts";
import { admit } from "./admit.ts";
import { claim } from "./claim.ts";
import { commit } from "./commit.ts";
import type { Delivered } from "./delivered.ts";
import { handBack } from "./hand-back.ts";
import { linger } from "./linger.ts";
import { park } from "./park.ts";
import type { DeliveryParts } from "./parts.ts";
import { receive } from "./receive.ts";
import { run } from "./run.ts";

/**
 * Takes a message to the outcome of its call. Never rejects: whatever happens, the message is settled or comes again.
 * A stage that has settled the message says so, and the delivery is over.
 *
 * The order is the promise: a tool runs only when the ledger says that this worker runs it, and the message leaves the queue
 * only when the outcome is in the ledger.
 */
export async function deliver(message: Delivered, parts: DeliveryParts): Promise<void> {
  const { suspects, gates, running, breaker, counters, probe } = parts;
  const receiving = receive(message, parts);
  const received = isThenable(receiving) ? await receiving : receiving;
  if (received === "settled") return;
  const { call } = received;
  try {
    const admitting = admit(received, parts);
    const admitted = isThenable(admitting) ? await admitting : admitting;
    if (admitted === "settled") return;
    probe?.("received", call);
    const claimed = await claim(admitted, parts);
    if (claimed === "settled") return;
    probe?.("claimed", call);
    const result = await run(claimed, parts);
    probe?.("ran", call);
    if (isWaiting(result)) return await park(claimed, result, parts);
    const handingBack = handBack(claimed, result, parts);
    const outcome = isThenable(handingBack) ? await handingBack : handingBack;
    if (outcome === "settled") return;
    breaker.observe(claimed.tool.name, keyPrefix(call.key), outcome);
    const committed = await commit(claimed, outcome, parts);
    if (committed === "committed") parts.plainResults.tell(call, outcome);
    probe?.("committed", call);
    const lingering = linger(claimed, parts);
    if (lingering !== undefined) await lingering;
    const acknowledging = acknowledge(claimed, committed, parts);
    if (acknowledging !== undefined) await acknowledging;
    probe?.("acknowledged", call);
  } catch {
    counters.errors += 1;
    message.nak(500);
  } finally {
    suspects.leave(call.key);
    gates.release(call);
    running.end(call);
  }
}
