import type { NatsConnection } from "@nats-io/transport-node";
import type { CallEvent, EventStream } from "@toolrig/core";
import { SUBJECT } from "../../wire/names.ts";
import type { Payloads } from "../../wire/payload.ts";
import type { RunningCalls } from "./running-calls.ts";

export interface ProgressParts {
  connection: NatsConnection;
  payloads: Payloads;
  running: RunningCalls;
}

/**
 * Tells callers how their calls are getting on. Progress travels outside JetStream: it is worth having only while it is fresh.
 * Returns what ends it.
 */
export function forwardProgress(events: EventStream, parts: ProgressParts): () => void {
  const tell = (event: CallEvent) => forward(event, parts);
  const stops = (["call.update", "call.log", "call.retry"] as const).map((type) => events.on(type, tell));
  return () => {
    for (const stop of stops) stop();
  };
}

function forward(event: CallEvent, { connection, payloads, running }: ProgressParts): void {
  const source = running.ofExecution(event.executionId);
  if (source === undefined) return;
  const { call, progress } = source;
  progress.updates += 1;
  try {
    const text = JSON.stringify({ attempt: progress.attempt, n: progress.updates, event });
    if (payloads.fits(text)) connection.publish(`${SUBJECT.update}.${call.key}`, text);
  } catch {
    // Progress that JSON cannot hold, or no connection to send it on: the result does not depend on it.
  }
}
