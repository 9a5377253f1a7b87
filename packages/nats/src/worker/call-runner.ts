import type { JsMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import {
  type CallEvent,
  type Executor,
  failedResult,
  messageOf,
  type ToolResult,
  type ToolSource,
} from "@toolrig/core";
import type { AckedPublisher } from "../acked-publisher.ts";
import type { CallJournal } from "../call-journal.ts";
import { bury } from "../dead-letters.ts";
import { keyOf, SUBJECT } from "../names.ts";
import type { Payloads } from "../payload.ts";
import { type CallMessage, MalformedMessage, readCall } from "../wire.ts";
import { claim, final } from "./delivery.ts";
import { isAlive } from "./presence.ts";

export interface CallRunnerParts {
  worker: string;
  connection: NatsConnection;
  publisher: AckedPublisher;
  journal: CallJournal;
  payloads: Payloads;
  executor: Executor;
  source: ToolSource;
  ackWaitMs: number;
  maxAttempts: number;
  probe: Probe | undefined;
}

/** Told where a call is. For tests that end the process at a certain point. */
export type Probe = (stage: DeliveryStage, call: CallMessage) => void;
export type DeliveryStage = "received" | "claimed" | "ran" | "committed" | "acknowledged";

export interface RunnerCounters {
  received: number;
  ran: number;
  duplicates: number;
  buried: number;
  fenced: number;
  errors: number;
}

interface Running {
  message: JsMsg;
  abort: AbortController;
  updates: number;
}

/** Takes delivered calls through claim, execution and commit. One call is handled once at a time in this process. */
export class CallRunner {
  readonly #parts: CallRunnerParts;
  readonly #running = new Map<string, Running>();
  readonly counters: RunnerCounters = { received: 0, ran: 0, duplicates: 0, buried: 0, fenced: 0, errors: 0 };
  readonly #heartbeat: ReturnType<typeof setInterval>;
  readonly #stopListening: () => void;

  constructor(parts: CallRunnerParts) {
    this.#parts = parts;
    // One timer for all calls tells the server that each is still being worked on.
    this.#heartbeat = setInterval(
      () => {
        for (const { message } of this.#running.values()) message.working();
      },
      Math.max(50, parts.ackWaitMs / 3),
    );
    this.#stopListening = parts.executor.events.on((event) => this.#forward(event));
  }

  get inFlight(): number {
    return this.#running.size;
  }

  isRunning(key: string): boolean {
    return this.#running.has(key);
  }

  cancel(key: string): void {
    this.#running.get(key)?.abort.abort();
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.#stopListening();
  }

  /** Never rejects: whatever happens, the message is settled or comes back. */
  async handle(message: JsMsg): Promise<void> {
    this.counters.received += 1;
    let call: CallMessage;
    try {
      call = readCall(message.string());
    } catch (error) {
      await this.#buryMalformed(message, error);
      return;
    }
    const key = keyOf(call.executionId);
    if (this.#running.has(key)) {
      this.counters.duplicates += 1;
      message.nak(this.#parts.ackWaitMs);
      return;
    }
    const running: Running = { message, abort: new AbortController(), updates: 0 };
    // Before the claim: a peer that reads "started" in the journal must hear "running" from here.
    this.#running.set(key, running);
    try {
      await this.#take(message, call, running);
    } catch {
      this.counters.errors += 1;
      message.nak(500);
    } finally {
      this.#running.delete(key);
    }
  }

  async #take(message: JsMsg, call: CallMessage, running: Running): Promise<void> {
    const { worker, connection, publisher, journal, source, ackWaitMs, maxAttempts, probe } = this.#parts;
    const tool = source.get(call.call.name, call.call.version);
    if (tool === undefined) {
      // Another worker of this consumer may have that version; this one does not.
      message.nak(ackWaitMs);
      return;
    }
    probe?.("received", call);
    const taken = await claim(journal, message, call, {
      worker,
      tool,
      maxAttempts,
      ackWaitMs,
      isAlive: (owner, executionId) => isAlive(connection, owner, executionId),
      bury: (reason) => {
        this.counters.buried += 1;
        return bury(publisher, message, { tool: tool.name, reason, id: call.executionId });
      },
    });
    if (!taken.claimed) {
      this.counters.duplicates += 1;
      return;
    }
    probe?.("claimed", call);
    const result = await this.#run(call, running);
    probe?.("ran", call);
    await this.#commit(message, call, result, taken.revision);
    probe?.("acknowledged", call);
  }

  async #run(call: CallMessage, { abort }: Running): Promise<ToolResult> {
    this.counters.ran += 1;
    try {
      const { executor } = this.#parts;
      return await executor.call(call.call, {
        ...call.options,
        executionId: call.executionId,
        signal: abort.signal,
      });
    } catch (error) {
      return failedResult(call.call, call.executionId, { code: "TOOL_PANICKED", message: messageOf(error) });
    }
  }

  /** Only if nobody took the call over meanwhile; otherwise this outcome is late and goes nowhere. */
  async #commit(message: JsMsg, call: CallMessage, result: ToolResult, revision: number): Promise<void> {
    const { journal, payloads } = this.#parts;
    const entry = await payloads.fit(call.executionId, final(call, serialisable(result)));
    const written = await journal.write(call.executionId, entry, revision);
    if (written === undefined) this.counters.fenced += 1;
    this.#parts.probe?.("committed", call);
    message.ack();
  }

  async #buryMalformed(message: JsMsg, error: unknown): Promise<void> {
    const reason = error instanceof MalformedMessage ? error.message : messageOf(error);
    try {
      this.counters.buried += 1;
      await bury(this.#parts.publisher, message, {
        tool: "malformed",
        reason,
        id: `${message.info.stream}-${message.seq}`,
      });
      message.term(reason);
    } catch {
      message.nak(1_000);
    }
  }

  /** Progress travels outside JetStream: it is worth having only while it is fresh. */
  #forward(event: CallEvent): void {
    if (event.type !== "call.update" && event.type !== "call.log" && event.type !== "call.retry") return;
    const running = this.#running.get(keyOf(event.executionId));
    if (running === undefined) return;
    running.updates += 1;
    const { connection } = this.#parts;
    connection.publish(
      `${SUBJECT.update}.${keyOf(event.executionId)}`,
      JSON.stringify({ n: running.updates, event }),
    );
  }
}

/** What a tool returned may be anything; only what JSON can hold travels. `content` always can. */
function serialisable(result: ToolResult): ToolResult {
  try {
    JSON.stringify(result);
    return result;
  } catch {
    const { value: _, details: __, ...rest } = result;
    return rest;
  }
}
