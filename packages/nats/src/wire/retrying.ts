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

/** Does something again for as long as what stands in its way may pass by itself, and `goesOn` says so. */
export async function retrying<T>(act: () => Promise<T>, goesOn: () => boolean): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!mayPass(error) || !goesOn()) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
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

/** A server that is away, busy or about to choose a leader comes back. What it refuses, it refuses again. */
export function mayPass(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.code === UNREADY;
  if (error instanceof RequestError) return !(error.cause instanceof PermissionViolationError);
  return (
    error instanceof TimeoutError || error instanceof NoRespondersError || error instanceof ConnectionError
  );
}
