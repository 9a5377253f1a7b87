import { acknowledge } from "./acknowledge.ts";
import { admit } from "./admit.ts";
import { claim } from "./claim.ts";
import { commit } from "./commit.ts";
import type { Delivered } from "./delivered.ts";
import { handBack } from "./hand-back.ts";
import { linger } from "./linger.ts";
import type { DeliveryParts } from "./parts.ts";
import { receive } from "./receive.ts";
import { run } from "./run.ts";
import type { RunningCall } from "./running-calls.ts";

/**
 * Takes a message to the outcome of its call. Never rejects: whatever happens, the message is settled or comes again.
 * A stage that has settled the message says so, and the delivery is over.
 */
export async function deliver(message: Delivered, parts: DeliveryParts): Promise<void> {
  const { suspects, gates, running, counters } = parts;
  const received = await receive(message, parts);
  if (received === "settled") return;
  const { call } = received;
  try {
    await take(received, parts);
  } catch {
    counters.errors += 1;
    message.nak(500);
  } finally {
    suspects.leave(call.key);
    gates.release(call);
    running.end(call);
  }
}

/**
 * The order is the promise: a tool runs only when the ledger says that this worker runs it, and the message leaves the queue
 * only when the outcome is in the ledger.
 */
async function take(received: RunningCall, parts: DeliveryParts): Promise<void> {
  const { call } = received;
  const { breaker, probe } = parts;
  const admitted = await admit(received, parts);
  if (admitted === "settled") return;
  probe?.("received", call);
  const claimed = await claim(admitted, parts);
  if (claimed === "settled") return;
  probe?.("claimed", call);
  const result = await run(claimed, parts);
  probe?.("ran", call);
  const outcome = handBack(claimed, result, parts);
  if (outcome === "settled") return;
  breaker.observe(claimed.tool.name, outcome);
  const committed = await commit(claimed, outcome, parts);
  probe?.("committed", call);
  await linger(claimed, parts);
  await acknowledge(claimed, committed, parts);
  probe?.("acknowledged", call);
}
