import { setTimeout as pause } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import { SUBJECT } from "../wire/names.ts";

const ASK_MS = 500;

/**
 * Asks a worker whether it is at a call. One that does not answer may be busy or about to reconnect, so it is asked again
 * until `patienceMs` are over; then it is gone.
 */
export async function isAlive(
  connection: NatsConnection,
  worker: string,
  key: string,
  patienceMs = 0,
): Promise<boolean> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      const answer = await connection.request(`${SUBJECT.worker}.${worker}`, key, { timeout: ASK_MS });
      return answer.string() === "running";
    } catch {
      if (Date.now() >= deadline) return false;
      await pause(Math.min(200, patienceMs));
    }
  }
}
