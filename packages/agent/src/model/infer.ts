import { backoffDelay, type Clock, defined, formatDuration, sleep } from "@toolrig/core/kit";
import type { ArgumentPreview } from "./argument-preview.ts";
import { type Engine, type EngineEvent, type EngineRequest, tokensOf, type Usage } from "./engine.ts";
import type { Extraction } from "./extracted-calls.ts";
import { type FaultKind, faultOf, ModelFault } from "./faults.ts";
import type { AssistantMessage } from "./message.ts";
import { Reply } from "./reply.ts";
import { SpokenText } from "./spoken-text.ts";

/** What can be told of a response while it is being made. */
export type ResponseFact =
  /** A piece of the answer. Void when a `model.retry` of the same turn follows. */
  | { type: "text"; turn: number; text: string }
  | { type: "reasoning"; turn: number; text: string }
  /** A call being written. `value` is the best reading of its arguments so far; it goes on growing, so copy what you keep. */
  | { type: "tool-call.delta"; turn: number; callId: string; name: string; delta: string; value?: unknown }
  /** The model failed and is asked again: what the turn has streamed so far is void. */
  | { type: "model.retry"; turn: number; attempt: number; delayMs: number; kind: FaultKind; message: string };

/** Who is told. Facts that cost something to make are made only while it is `active`. */
interface ResponseListener {
  readonly active: boolean;
  emit(fact: ResponseFact): void;
}

/** How often and how long a failing model is asked again. */
export interface ModelRetry extends Readonly<Parameters<typeof backoffDelay>[1]> {
  /** Requests in all, the first included. */
  attempts: number;
}

export interface Inference {
  engine: Engine;
  request: Omit<EngineRequest, "signal">;
  turn: number;
  retry: ModelRetry;
  events: ResponseListener;
  preview: ArgumentPreview | undefined;
  clock: Clock;
  /** The run's. */
  signal: AbortSignal;
  /** How long the model may be silent. */
  idleMs: number;
  /** How calls written as text are found, which listeners are not to see as text. Undefined: not at all. */
  extract: Extraction | undefined;
  /** A model that fails is not asked again once its responses have taken more than this. */
  tokensLeft: number;
}

/** What became of a turn. `usage` is that of all its responses, and in the message where there is one. */
export type Inferred =
  | { message: AssistantMessage }
  /** The run was aborted; what had been said by then. */
  | { interrupted: AssistantMessage | undefined; usage: Usage | undefined }
  | { fault: ModelFault; usage: Usage | undefined };

/** One response of the model, asked for again while it fails in a way that may pass. Never throws. */
export async function infer(inference: Inference): Promise<Inferred> {
  const { events, signal, clock, retry, turn, tokensLeft } = inference;
  let usage: Usage | undefined;
  for (let attempt = 1; ; attempt++) {
    const reply = new Reply(usage);
    const spoken = speech(inference);
    try {
      const reading = read(inference, reply, spoken);
      if (reading !== undefined) await reading;
      if (!signal.aborted) {
        const message = reply.message();
        spoken.end();
        return { message };
      }
    } catch (error) {
      usage = reply.usage;
      if (!signal.aborted) {
        const fault = faultOf(error);
        const delayMs = tokensOf(usage) > tokensLeft ? undefined : delayBefore(attempt, fault, retry);
        if (delayMs === undefined) return { fault: explained(fault, retry), usage };
        const { kind, message } = fault;
        events.emit({ type: "model.retry", turn, attempt, delayMs, kind, message });
        if (await sleep(clock, delayMs, signal)) continue;
        return { interrupted: undefined, usage };
      }
    }
    spoken.release();
    return { interrupted: reply.partial(), usage: reply.usage };
  }
}

/** Undefined: not worth asking again. */
function delayBefore(attempt: number, fault: ModelFault, retry: ModelRetry): number | undefined {
  if (!fault.retryable || attempt >= retry.attempts) return undefined;
  return backoffDelay(attempt, retry, fault.retryAfterMs);
}

/** A fault that is final because the provider asks for a longer wait than the run allows says so. */
function explained(fault: ModelFault, { maxBackoffMs }: ModelRetry): ModelFault {
  const { retryAfterMs } = fault;
  if (!fault.retryable || retryAfterMs === undefined || retryAfterMs <= maxBackoffMs) return fault;
  const message =
    `${fault.message} The provider asks to wait ${formatDuration(retryAfterMs)}, longer than retry.maxBackoff ` +
    `(${formatDuration(maxBackoffMs)}). Resume the run later, or raise retry.maxBackoff.`;
  return new ModelFault(fault.kind, message, {
    cause: fault,
    retryAfterMs,
    ...defined({ status: fault.status }),
  });
}

function speech({ events, turn, extract, request }: Inference): SpokenText {
  return new SpokenText((text) => events.emit({ type: "text", turn, text }), extract, request.tools);
}

/** Undefined when the stream was read at once. */
function read(inference: Inference, reply: Reply, spoken: SpokenText): Promise<void> | undefined {
  const { engine, request } = inference;
  let controller: AbortController | undefined;
  const stream = engine.stream({
    ...request,
    get signal() {
      controller ??= new AbortController();
      return controller.signal;
    },
  });
  const take = taker(inference, reply, spoken);
  if (Symbol.asyncIterator in stream) {
    controller ??= new AbortController();
    return readStream(stream, inference, controller, take);
  }
  for (const event of stream) take(event);
  return undefined;
}

/**
 * Reads a model's stream to its end. Gives up when the run is aborted or the model falls silent, whether or not the
 * engine heeds its own signal, which `controller` aborts in both cases. Throws what the stream throws, a `ModelFault`
 * when idle, and the signal's reason when aborted.
 */
async function readStream(
  stream: AsyncIterable<EngineEvent>,
  { clock, signal, idleMs }: Inference,
  controller: AbortController,
  take: (event: EngineEvent) => void,
): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]();
  let giveUp: (reason: unknown) => void = () => {};
  const onAbort = () => giveUp(signal.reason);
  const onIdle = () =>
    giveUp(new ModelFault("idle", `The model sent nothing for ${formatDuration(idleMs)}.`));
  signal.addEventListener("abort", onAbort, { once: true });
  let timer: unknown;
  try {
    for (;;) {
      timer = clock.set(onIdle, idleMs);
      const step = await new Promise<IteratorResult<EngineEvent>>((resolve, reject) => {
        giveUp = reject;
        if (signal.aborted) return reject(signal.reason);
        iterator.next().then(resolve, reject);
      });
      clock.clear(timer);
      if (step.done === true) return;
      take(step.value);
    }
  } catch (error) {
    clock.clear(timer);
    controller.abort(error);
    // A generator that is stuck never answers; nobody waits for it.
    void iterator.return?.().then(undefined, () => {});
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** What is done with each event: it becomes part of the reply, and whoever listens is told. */
function taker(
  { events, turn, preview }: Inference,
  reply: Reply,
  spoken: SpokenText,
): (event: EngineEvent) => void {
  const made = new Set<string>();
  return (event) => {
    reply.add(event);
    if (event.type === "tool-call") made.add(event.id);
    // A response with calls of its own has none in its text.
    if (event.type === "tool-call" || event.type === "tool-call-delta") spoken.release();
    if (!events.active) return;
    if (event.type === "text") spoken.add(event.text);
    else if (event.type === "reasoning") {
      if (event.text !== "") events.emit({ type: "reasoning", turn, text: event.text });
    } else if (event.type === "tool-call-delta" && !made.has(event.id)) {
      // Some providers use an id again: what is written under that of a call that is made belongs to another.
      const { id: callId, name, delta } = event;
      const value = preview?.add(callId, name, delta);
      events.emit({
        type: "tool-call.delta",
        turn,
        callId,
        name,
        delta,
        ...defined({ value }),
      });
    }
  };
}
