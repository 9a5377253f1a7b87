import { type Backoff, backoffDelay, sleep } from "@toolrig/core/kit";
import type { LoopEvent, LoopFact } from "../loop/events.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { ArgumentPreview } from "./argument-preview.ts";
import type { Engine, EngineEvent, EngineRequest } from "./engine.ts";
import { faultOf, type ModelFault } from "./faults.ts";
import type { AssistantMessage } from "./message.ts";
import { type Patience, readStream } from "./read-stream.ts";
import { Reply } from "./reply.ts";

/** How often and how long a failing model is asked again. */
export interface ModelRetry extends Backoff {
  /** Requests in all, the first included. */
  attempts: number;
}

export interface Inference extends Patience {
  engine: Engine;
  request: Omit<EngineRequest, "signal">;
  turn: number;
  retry: ModelRetry;
  events: RunEvents<LoopEvent, LoopFact>;
  preview: ArgumentPreview | undefined;
}

export type Inferred =
  | { message: AssistantMessage }
  /** The run was aborted; what had been said by then. */
  | { interrupted: AssistantMessage | undefined }
  | { fault: ModelFault };

/** One response of the model, asked for again while it fails in a way that may pass. Never throws. */
export async function infer(inference: Inference): Promise<Inferred> {
  const { events, signal, clock, retry, turn } = inference;
  for (let attempt = 1; ; attempt++) {
    const reply = new Reply();
    try {
      const reading = read(inference, reply);
      if (reading !== undefined) await reading;
      if (signal.aborted) return { interrupted: reply.partial() };
      return { message: reply.message() };
    } catch (error) {
      if (signal.aborted) return { interrupted: reply.partial() };
      const fault = faultOf(error);
      const delayMs = delayBefore(attempt, fault, retry);
      if (delayMs === undefined) return { fault };
      const { kind, message } = fault;
      events.emit({ type: "model.retry", turn, attempt, delayMs, kind, message });
      if (!(await sleep(clock, delayMs, signal))) return { interrupted: undefined };
    }
  }
}

/** Undefined when the stream was read at once. */
function read(inference: Inference, reply: Reply): Promise<void> | undefined {
  const { engine, request } = inference;
  let controller: AbortController | undefined;
  const stream = engine.stream({
    ...request,
    get signal() {
      controller ??= new AbortController();
      return controller.signal;
    },
  });
  const take = taker(inference, reply);
  if (Symbol.asyncIterator in stream) {
    controller ??= new AbortController();
    return readStream(stream, inference, controller, take);
  }
  for (const event of stream) take(event);
  return undefined;
}

/** What is done with each event: it becomes part of the reply, and whoever listens is told. */
function taker({ events, turn, preview }: Inference, reply: Reply): (event: EngineEvent) => void {
  return (event) => {
    reply.add(event);
    if (!events.active) return;
    if (event.type === "text" || event.type === "reasoning") {
      if (event.text !== "") events.emit({ type: event.type, turn, text: event.text });
    } else if (event.type === "tool-call-delta") {
      const { id: callId, name, delta } = event;
      const value = preview?.add(callId, name, delta);
      events.emit({
        type: "tool-call.delta",
        turn,
        callId,
        name,
        delta,
        ...(value !== undefined && { value }),
      });
    }
  };
}

/** Undefined: not worth asking again. */
function delayBefore(attempt: number, fault: ModelFault, retry: ModelRetry): number | undefined {
  if (!fault.retryable || attempt >= retry.attempts) return undefined;
  return backoffDelay(attempt, retry, fault.retryAfterMs);
}
