import type { NatsConnection } from "@nats-io/transport-node";
import type { CallEvent, EventStream } from "@toolrig/core";
import { SUBJECT } from "../../wire/names.ts";
import type { Payloads } from "../../wire/payload.ts";
import type { RunningCalls } from "./running-calls.ts";

export interface ProgressParts {
  connection: NatsConnection;
  payloads: Payloads;
  running: RunningCalls;
  /** Of a call that waits, and of which somebody told how far it is: its key and its starts so far. */
  parked(pipelineId: string): { key: string; executionId: string; attempt: number } | undefined;
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

function forward(event: CallEvent, { connection, payloads, running, parked }: ProgressParts): void {
  const source = running.ofExecution(event.executionId);
  const waiting = source === undefined ? parked(event.executionId) : undefined;
  const of = source?.call ?? waiting;
  if (of === undefined) return;
  const { key, executionId } = of;
  if (source !== undefined) source.progress.updates += 1;
  // Any worker may tell of a call that waits; none of them counts what others told.
  const { attempt, updates: n } = source?.progress ?? { attempt: waiting?.attempt ?? 1, updates: Date.now() };
  try {
    const text = JSON.stringify({ attempt, n, event: { ...event, executionId } });
    if (payloads.fits(text)) connection.publish(`${SUBJECT.update}.${key}`, text);
  } catch {
    // Progress that JSON cannot hold, or no connection to send it on: the result does not depend on it.
  }
}
