import type { CallEvent } from "../call/events.ts";
import { defined } from "../defined.ts";

/** A tool event in the vocabulary of layered observers: one action when a call starts, one when it is over. */
export interface ObservedEvent {
  timestamp: number;
  layer: "tool";
  action: "execute_start" | "execute_end" | "execute_cancelled";
  data: { call_id: string; name: string; args: unknown; request_id?: string; step_name?: string };
  /** Milliseconds, on execute_end. */
  duration?: number;
  error?: string;
}

/**
 * An event of an executor, a loop or a plan in the vocabulary of layered observers. `call.start` is execute_start; `call.end` is
 * execute_end, or execute_cancelled when the tool never ran because of it. Undefined for every other event.
 */
export function observed(given: { readonly type: string; readonly at: number }): ObservedEvent | undefined {
  // Loops and plans report calls with the same fields.
  const event = given as CallEvent;
  if (event.type !== "call.start" && event.type !== "call.end") return undefined;
  const { at: timestamp, callId, name, requestId, stepName } = event;
  const args = event.type === "call.start" ? event.arguments : event.args;
  const data = {
    call_id: callId,
    name,
    args,
    ...defined({ request_id: requestId, step_name: stepName }),
  };
  if (event.type === "call.start") return { timestamp, layer: "tool", action: "execute_start", data };
  const { failure, attempts } = event.result;
  if (failure?.kind === "cancelled" && attempts === 0) {
    return { timestamp, layer: "tool", action: "execute_cancelled", data, error: failure.message };
  }
  const ended: ObservedEvent = {
    timestamp,
    layer: "tool",
    action: "execute_end",
    data,
    duration: event.result.durationMs,
  };
  if (failure !== undefined) ended.error = failure.message;
  return ended;
}
