import type { NatsConnection } from "@nats-io/transport-node";
import type { AnyTool, CallEvent, Executor, ToolResult, ToolSource } from "@toolrig/core";
import { failedResult, mayRepeat, messageOf } from "@toolrig/core/kit";
import { bury } from "../fleet/dead-letters.ts";
import { isAlive } from "../fleet/is-alive.ts";
import type { AckedPublisher } from "../wire/acked-publisher.ts";
import type { CallLedger } from "../wire/call-ledger.ts";
import { type CallMessage, readCall, readReference } from "../wire/messages.ts";
import { SUBJECT } from "../wire/names.ts";
import type { Payloads } from "../wire/payload.ts";
import { claim } from "./claim.ts";
import type { Delivered } from "./delivered.ts";

export interface CallRunnerParts {
  worker: string;
  connection: NatsConnection;
  publisher: AckedPublisher;
  ledger: CallLedger;
  payloads: Payloads;
  executor: Executor;
  source: ToolSource;
  ackWaitMs: number;
  maxAttempts: number;
  probe: Probe | undefined;
  /** Resolves when a call of the tool may start; false when it may not start here any more. */
  admit(tool: AnyTool, key: string, subject: string): Promise<boolean> | true;
  /** The call is over, whether it was admitted or not. */
  release(call: CallMessage): void;
  /** Whether another live worker can run the call. */
  canRunElsewhere(call: CallMessage): boolean;
  /** Told of every outcome. */
  observe(tool: AnyTool, result: ToolResult): void;
}

/** Told where a call is. For tests that end the process at a certain point. */
export type Probe = (stage: DeliveryStage, call: CallMessage) => void;
export type DeliveryStage = "received" | "claimed" | "ran" | "committed" | "acknowledged";

export interface RunnerCounters {
  /** Messages that came. */
  received: number;
  /** Calls that were started here. */
  ran: number;
  failed: number;
  /** Messages of calls that were done or under way already. */
  duplicates: number;
  /** Calls of lost workers that were started again here. */
  takenOver: number;
  /** Calls of lost workers that were answered as unknown. */
  unknown: number;
  buried: number;
  /** Outcomes that came after somebody else had taken over. */
  late: number;
  /** Calls given back because the worker stopped. */
  handedBack: number;
  errors: number;
}

interface Running {
  message: Delivered;
  call: CallMessage;
  abort: AbortController;
  attempt: number;
  updates: number;
  /** Lets the next suspect run; set while this one does. */
  release?: () => void;
}

/** What a runner that has seen no call has counted. */
export const NO_COUNTS: Readonly<RunnerCounters> = {
  received: 0,
  ran: 0,
  failed: 0,
  duplicates: 0,
  takenOver: 0,
  unknown: 0,
  buried: 0,
  late: 0,
  handedBack: 0,
  errors: 0,
};

/** Takes delivered calls through claim, execution and commit. One call is handled once at a time in this process. */
export class CallRunner {
  readonly #parts: CallRunnerParts;
  readonly #running = new Map<string, Running>();
  readonly #byExecution = new Map<string, Running>();
  readonly counters: RunnerCounters = { ...NO_COUNTS };
  readonly #heartbeat: ReturnType<typeof setInterval>;
  readonly #stopListening: () => void;
  #stopping = false;
  #suspect: Promise<void> = Promise.resolve();
  #idle: (() => void) | undefined;

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

  /** The call that runs under an execution id. */
  callOf(executionId: string): CallMessage | undefined {
    return this.#byExecution.get(executionId)?.call;
  }

  cancel(key: string): void {
    this.#running.get(key)?.abort.abort();
  }

  /** Resolves when nothing runs, or false after `timeoutMs`. */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.#running.size === 0) return true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  /** From now on what is cut off goes back to the queue, if it may run again, or is answered as unknown. */
  giveUp(): void {
    this.#stopping = true;
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.#stopListening();
  }

  /** Never rejects: whatever happens, the message is settled or comes back. */
  async handle(message: Delivered): Promise<void> {
    this.counters.received += 1;
    let call: CallMessage;
    try {
      const text = message.string();
      const object = readReference(text);
      call = readCall(object === undefined ? text : await this.#parts.payloads.load(object), message.subject);
    } catch (error) {
      await this.#buryMalformed(message, error);
      return;
    }
    if (this.#running.has(call.key) || this.#byExecution.has(call.executionId)) {
      this.counters.duplicates += 1;
      message.nak(this.#parts.ackWaitMs);
      return;
    }
    const running: Running = { message, call, abort: new AbortController(), attempt: 1, updates: 0 };
    // Before the claim: a peer that reads "started" in the ledger must hear "running" from here.
    this.#running.set(call.key, running);
    this.#byExecution.set(call.executionId, running);
    try {
      await this.#take(running);
    } catch {
      this.counters.errors += 1;
      message.nak(500);
    } finally {
      running.release?.();
      this.#parts.release(call);
      this.#running.delete(call.key);
      this.#byExecution.delete(call.executionId);
      if (this.#running.size === 0) this.#idle?.();
    }
  }

  async #take(running: Running): Promise<void> {
    const { message, call } = running;
    const { worker, connection, publisher, ledger, payloads, source, ackWaitMs, maxAttempts, probe } =
      this.#parts;
    const tool = source.get(call.call.name, call.range);
    if (tool === undefined) return this.#refuse(running);
    const admitted = this.#parts.admit(tool, call.key, message.subject);
    if (admitted !== true && !(await admitted)) {
      message.nak();
      return;
    }
    probe?.("received", call);
    const taken = await claim(ledger, payloads, message, call, {
      worker,
      tool,
      maxAttempts,
      ackWaitMs,
      isAlive: (owner, key, patienceMs) => isAlive(connection, owner, key, patienceMs),
      isolate: () => this.#isolate(running),
      bury: (reason) => {
        this.counters.buried += 1;
        return bury(publisher, message, { tool: tool.name, reason, id: call.key });
      },
    });
    if (!taken.claimed) {
      if (taken.why === "unknown") this.counters.unknown += 1;
      else this.counters.duplicates += 1;
      return;
    }
    probe?.("claimed", call);
    running.attempt = taken.attempt;
    if (taken.attempt > 1) this.counters.takenOver += 1;
    const result = await this.#run(running);
    probe?.("ran", call);
    if (this.#stopping && running.abort.signal.aborted === false && isCutOff(result)) {
      await this.#handBack(running, tool, taken.revision);
      return;
    }
    this.#parts.observe(tool, result);
    await this.#commit(running, result, taken.revision);
    probe?.("acknowledged", call);
  }

  /** One suspect after the other. */
  async #isolate(running: Running): Promise<void> {
    if (running.release !== undefined) return;
    const before = this.#suspect;
    this.#suspect = new Promise((resolve) => {
      running.release = resolve;
    });
    await before;
  }

  async #run({ call, abort }: Running): Promise<ToolResult> {
    this.counters.ran += 1;
    const { call: said, range, options, executionId } = call;
    const asked = range === said.version || range === undefined ? said : { ...said, version: range };
    let result: ToolResult;
    try {
      result = await this.#parts.executor.call(asked, { ...options, executionId, signal: abort.signal });
    } catch (error) {
      result = failedResult(said, executionId, { code: "TOOL_PANICKED", message: messageOf(error) });
    }
    if (result.isError) this.counters.failed += 1;
    return result;
  }

  /** Only if nobody took the call over meanwhile; otherwise this outcome is late and goes nowhere. */
  async #commit({ message, call }: Running, result: ToolResult, revision: number): Promise<void> {
    const { ledger, payloads, probe } = this.#parts;
    const encoded = payloads.entry(call.key, call.fingerprint, result);
    const entry = typeof encoded === "string" ? encoded : await encoded;
    const written = await ledger.write(call.key, entry, revision);
    probe?.("committed", call);
    if (written === undefined) {
      this.counters.late += 1;
      // Whoever took the call over may still be at it; then the message is theirs.
      if ((await ledger.read(call.key))?.state.state !== "final") return;
    }
    message.ack();
  }

  /** The worker stops while the tool runs. What may run again does so elsewhere; the rest has an open outcome. */
  async #handBack(running: Running, tool: AnyTool, revision: number): Promise<void> {
    this.counters.handedBack += 1;
    if (mayRepeat(tool.safety)) {
      running.message.nak();
      return;
    }
    const { call, executionId } = running.call;
    const message = `Worker ${this.#parts.worker} was stopped while it ran ${tool.name}. It may have happened; it was not run again.`;
    const result = failedResult(call, executionId, { code: "TOOL_OUTCOME_UNKNOWN", message });
    await this.#commit(running, result, revision);
  }

  /** No tool here has that version. If no other worker has one either, that is the answer. */
  async #refuse({ message, call }: Running): Promise<void> {
    const { ledger, payloads, ackWaitMs } = this.#parts;
    const known = await ledger.read(call.key);
    if (known?.state.state === "final") {
      message.ack();
      return;
    }
    if (known !== undefined || this.#parts.canRunElsewhere(call)) {
      message.nak(Math.min(500, ackWaitMs));
      return;
    }
    const said = `No worker has ${call.call.name}${call.range === undefined ? "" : ` in a version of ${call.range}`}.`;
    const result = failedResult(call.call, call.executionId, { code: "TOOL_NOT_FOUND", message: said });
    await ledger.write(call.key, await payloads.entry(call.key, call.fingerprint, result), 0);
    message.ack();
  }

  async #buryMalformed(message: Delivered, error: unknown): Promise<void> {
    const reason = messageOf(error).replaceAll(/\s+/g, " ").slice(0, 200);
    try {
      this.counters.buried += 1;
      const id = `${message.subject}-${message.seq}`;
      await bury(this.#parts.publisher, message, { tool: "malformed", reason, id });
      message.term(reason);
    } catch {
      message.nak(1_000);
    }
  }

  /** Progress travels outside JetStream: it is worth having only while it is fresh. */
  #forward(event: CallEvent): void {
    if (event.type !== "call.update" && event.type !== "call.log" && event.type !== "call.retry") return;
    const running = this.#byExecution.get(event.executionId);
    if (running === undefined) return;
    running.updates += 1;
    try {
      const text = JSON.stringify({ attempt: running.attempt, n: running.updates, event });
      if (!this.#parts.payloads.fits(text)) return;
      this.#parts.connection.publish(`${SUBJECT.update}.${running.call.key}`, text);
    } catch {
      // Progress that JSON cannot hold, or no connection to send it on: the result does not depend on it.
    }
  }
}

/** Whether the executor ended the call because it was stopped. */
function isCutOff({ failure }: ToolResult): boolean {
  return failure?.code === "TOOL_CANCELLED" || failure?.code === "TOOL_UNAVAILABLE";
}
