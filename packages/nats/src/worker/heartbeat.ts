import type { RunningCalls } from "./deliver/running-calls.ts";

/** Keeps the lease on all calls under way, well within the ack wait. One timer for all of them. Returns what ends it. */
export function startHeartbeat(running: RunningCalls, ackWaitMs: number): () => void {
  const timer = setInterval(() => running.renew(), Math.max(50, ackWaitMs / 3));
  return () => clearInterval(timer);
}
