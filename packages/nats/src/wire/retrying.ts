import { setTimeout as pause } from "node:timers/promises";
import { JetStreamApiError } from "@nats-io/jetstream";
import {
  ConnectionError,
  NoRespondersError,
  PermissionViolationError,
  RequestError,
  TimeoutError,
} from "@nats-io/transport-node";

const PAUSE_MS = 250;
/** JetStream is there, and not ready yet. */
const UNREADY = 10008;
/**
 * For as long nobody may answer for JetStream. A server that is about to stop has switched it off and keeps its connections for a
 * while, two minutes unless it is told otherwise.
 */
const ABSENT_MS = 180_000;

/** Does something again for as long as what stands in its way may pass by itself, and `goesOn` says so. */
export async function retrying<T>(act: () => Promise<T>, goesOn: () => boolean): Promise<T> {
  const since = Date.now();
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!mayPass(error, since) || !goesOn()) throw error;
      await pause(PAUSE_MS);
    }
  }
}

/** Rejects as a request does that was not answered. */
export async function within<T>(limitMs: number, pending: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError()), limitMs);
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A server that is away, busy or about to choose a leader comes back. What it refuses, it refuses again. `since` is when it was
 * tried first.
 */
export function mayPass(error: unknown, since: number): boolean {
  if (error instanceof JetStreamApiError) return error.code === UNREADY;
  if (error instanceof RequestError) return !(error.cause instanceof PermissionViolationError);
  return (
    error instanceof TimeoutError ||
    error instanceof NoRespondersError ||
    error instanceof ConnectionError ||
    (isUnheard(error) && Date.now() - since < ABSENT_MS)
  );
}

/** Nobody answers for JetStream, as the client says it of what needs one. */
function isUnheard(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof RequestError && cause.isNoResponders();
}
