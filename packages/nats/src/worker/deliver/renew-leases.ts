import type { RunningCalls } from "./running-calls.ts";

/** Keeps the leases on all calls under way, well within the ack wait. One timer for all of them. Returns what ends it. */
export function renewLeases(running: RunningCalls, ackWaitMs: number): () => void {
  const timer = setInterval(() => running.renew(), Math.max(50, ackWaitMs / 3));
  return () => clearInterval(timer);
}
