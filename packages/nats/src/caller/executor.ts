import { jetstreamManager, type StreamInfo } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import {
  type BatchOptions,
  type CallExecutor,
  type CallOptions,
  EventStream,
  type ToolCall,
  type ToolResult,
  ToolrigError,
} from "@toolrig/core";
import {
  type CallBatch,
  type CallFact,
  callStart,
  check,
  defined,
  emitCallEvent,
  failedResult,
  isWaiting,
  messageOf,
  newId,
  parseDuration,
  runBatch,
  snapshot,
} from "@toolrig/core/kit";
import { Fleet } from "../fleet/fleet.ts";
import { setUp } from "../fleet/setup.ts";
import { AckedPublisher } from "../wire/acked-publisher.ts";
import { CallLedger } from "../wire/call-ledger.ts";
import { leave, open, withoutSeed } from "../wire/connection.ts";
import { keyOf, keyPrefix } from "../wire/names.ts";
import { callerNeeds } from "../wire/needs.ts";
import { Payloads } from "../wire/payload.ts";
import { checkPermissions } from "../wire/permissions.ts";
import { type Signer, signerOf } from "../wire/signature.ts";
import { RemoteBatchedCall } from "./batched-call.ts";
import { FleetCallWaits } from "./call-waits.ts";
import {
  checkPatience,
  type NatsExecutorOptions,
  natsExecutorOptions,
  type RemoteCallOptions,
} from "./options.ts";
import { checkRemoteBatch, checkRemoteCall, ownCall } from "./own-call.ts";
import { type RemoteCallParts, RemoteCalls } from "./remote-calls.ts";
import { cancelled, closed, notTaken, tooManyWaiting } from "./remote-failures.ts";
import { RemoteWaits } from "./remote-waits.ts";
import { Router } from "./router.ts";
import { SubmissionWindow } from "./submission-window.ts";
import { type SubmissionParts, submitCall } from "./submit-call.ts";
import { ToldCall } from "./told-call.ts";

/** Names come from models: of what is not in use, only so much is remembered. */
const MAX_WINDOWS = 1_000;

interface Parts {
  connection: NatsConnection;
  signer: Signer | undefined;
  publisher: AckedPublisher;
  fleet: Fleet | undefined;
  router: Router;
  queueTimeoutMs: number;
  calls: (on: Pick<RemoteCallParts, "onEvent" | "onNotTaken">) => RemoteCalls;
}

/**
 * Runs calls on a fleet. The same interface as the local executor: whoever calls does not know.
 *
 * @example
 * ```ts
 * import { tool } from "@toolrig/core";
 * import { NatsExecutor, NatsWorker } from "@toolrig/nats";
 *
 * const nats = { servers: "nats://127.0.0.1:4222" };
 * const input = { type: "object" } as const;
 * const greet = tool({ name: "greet", description: "Greet", input, execute: () => "hello" });
 * const worker = new NatsWorker({ nats, tools: [greet] }); // in processes of their own, any number
 * await worker.start();
 * const executor = await NatsExecutor.connect({ nats });
 * console.log((await executor.call({ id: "call_1", name: "greet" })).value); //=> hello
 * await executor.close();
 * await worker.stop();
 * ```
 */
export class NatsExecutor implements CallExecutor {
  readonly refuses = true;
  readonly events = new EventStream();
  /** What calls of the fleet wait for, and how that ends. */
  readonly remoteWaits: RemoteWaits;
  /** The same, as a loop asks it of any executor. */
  readonly waits: FleetCallWaits;
  readonly #options: NatsExecutorOptions;
  readonly #parts: Parts;
  readonly #calls: RemoteCalls;
  /** By tool. */
  readonly #windows = new Map<string, SubmissionWindow>();
  readonly #closing = new AbortController();
  readonly #submission: SubmissionParts;

  private constructor(options: NatsExecutorOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
    this.remoteWaits = new RemoteWaits(parts, options.caller);
    this.#calls = parts.calls({
      onEvent: (event) => this.events.emit({ ...event, seq: this.events.nextSeq() }),
      onNotTaken: (name, waitedMs) => this.#windows.get(name)?.giveUp(waitedMs),
    });
    this.waits = new FleetCallWaits({
      entryOf: (executionId) => this.#calls.entryOf(executionId, keyOf(executionId, options.caller)),
      cancel: (executionId) => this.remoteWaits.cancel(executionId),
    });
    const { caller, approval: approve } = options;
    const { router, queueTimeoutMs } = parts;
    const closing = this.#closing.signal;
    const tracer = options.tracer?.calls(this.events);
    this.#submission = { caller, approve, router, calls: this.#calls, tracer, queueTimeoutMs, closing };
  }

  static async connect(options: NatsExecutorOptions): Promise<NatsExecutor> {
    const { queueTimeout } = natsExecutorOptions.withDefaults(options);
    const queueTimeoutMs = parseDuration(queueTimeout, "queueTimeout");
    const { nats, fleet: fleetOptions = {} } = options;
    const signer = options.signer === undefined ? undefined : signerOf(options.signer);
    const connection = await open(nats, newId("caller"));
    try {
      const names = await setUp(connection, fleetOptions);
      checkPatience(queueTimeoutMs, names);
      const prefix = keyPrefix(keyOf(newId("exec"), options.caller));
      await checkPermissions(connection, callerNeeds(names, prefix));
      const publisher = new AckedPublisher(connection, withoutSeed(nats));
      const ledger = await CallLedger.open(connection, publisher, { ledger: names.ledger, from: "replica" });
      const payloads = new Payloads(connection, { ...names, from: "replica" });
      // A caller that may not watch the workers can still call them.
      const fleet = await Fleet.open(connection, names).catch(() => undefined);
      const { streams } = await jetstreamManager(connection, { checkAPI: false });
      // The leader of a stream answers for it, and nobody else. Around an election it may not be heard everywhere yet.
      const isWhole = ({ cluster }: StreamInfo) =>
        (cluster?.replicas ?? []).every(({ current, offline }) => current && offline !== true);
      const hasQueue = () => streams.info(names.stream).then(isWhole, () => false);
      const isInCluster = () => connection.info?.cluster !== undefined;
      const executor = new NatsExecutor(options, {
        connection,
        signer,
        publisher,
        fleet,
        router: new Router(connection, names.stream, fleet),
        queueTimeoutMs,
        calls: (on) =>
          new RemoteCalls({
            connection,
            publisher,
            ledger,
            payloads,
            signer,
            queueTimeoutMs,
            hasQueue,
            isInCluster,
            ...on,
          }),
      });
      await publisher.ready();
      await executor.#calls.ready(options.caller);
      return executor;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Never rejects. Throws `OPTION_INVALID` at once for options that are none. */
  call(call: ToolCall, options: RemoteCallOptions = {}): Promise<ToolResult> {
    checkRemoteCall(options);
    const own = ownCall(call);
    const { batch } = options;
    return batch === undefined ? this.#call(own, options) : this.#callWithin(batch, own, options);
  }

  #call(call: ToolCall, options: RemoteCallOptions): Promise<ToolResult> {
    const executionId = options.executionId ?? newId("exec");
    const startedAt = Date.now();
    this.#announce(call, executionId, options);
    return this.#run(call, executionId, options).then((result) => {
      this.#conclude(call, options, result, startedAt);
      return result;
    });
  }

  #callWithin(batch: CallBatch, call: ToolCall, options: RemoteCallOptions): Promise<ToolResult> {
    const sends = async () => {
      if (!(await this.#isSequential([call], undefined, options))) return "judged";
      await batch.over();
      return "whole";
    };
    const executionId = options.executionId ?? newId("exec");
    return batch.run(this.#batched(call, executionId, options, sends), options.signal);
  }

  /**
   * Results, and the events of starts and ends, in the order of the calls. A guard's `stop` holds back the calls after it, as it does
   * in one process. Never rejects. Throws `OPTION_INVALID` at once for options that are none, and for calls that are no list.
   */
  batch(calls: readonly ToolCall[], options: BatchOptions & RemoteCallOptions = {}): Promise<ToolResult[]> {
    check.list("calls", calls, "a list of calls");
    checkRemoteBatch(options);
    return this.#batch(calls.map(ownCall), options);
  }

  async #batch(
    calls: readonly ToolCall[],
    { mode, executionIds, refusals, signals, batch: _, ...options }: BatchOptions & RemoteCallOptions,
  ): Promise<ToolResult[]> {
    let isGuarded: Promise<boolean> | undefined;
    // A call that no guard can stop does not wait for those before it.
    const sends = async () => {
      if (isSequential || calls.length === 1) return "later";
      isGuarded ??= this.#isGuarded(calls, options);
      return (await isGuarded) ? "judged" : "later";
    };
    const batch = calls.map((call, index) => {
      const [executionId, signal] = [executionIds?.[index], signals?.[index]];
      const own = { ...options, refusal: refusals?.[index], ...defined({ executionId, signal }) };
      return this.#batched(call, executionId ?? newId("exec"), own, sends);
    });
    const isSequential = await this.#isSequential(calls, mode, options);
    return runBatch(batch, isSequential ? "sequential" : "parallel");
  }

  /** A call of a batch, whose start is told at once. */
  #batched(
    call: ToolCall,
    executionId: string,
    options: RemoteCallOptions,
    sends: () => Promise<"judged" | "whole" | "later">,
  ): RemoteBatchedCall {
    const startedAt = Date.now();
    this.#announce(call, executionId, options);
    return new RemoteBatchedCall({
      call,
      executionId,
      sends,
      run: (onAllowed) => this.#run(call, executionId, options, onAllowed),
      conclude: (result) => this.#conclude(call, options, result, startedAt),
    });
  }

  /** The live workers and their tools: a source for a loop that runs on the fleet. */
  async fleet(): Promise<Fleet> {
    if (this.#parts.fleet !== undefined) return this.#parts.fleet;
    throw new ToolrigError("CONFIG_INVALID", "This caller may not watch the workers of the fleet.");
  }

  /**
   * The outcome of an execution that was begun before, perhaps by a process that is gone. Waits for it if it runs, and with
   * it when it waits for the world, unless `onWaiting` is "return": then it tells what for.
   * Undefined when no worker has begun it: calling again under the same id is safe, and the way to find out. Throws
   * `STORE_FAILED` when that cannot be told, because the server does not answer.
   */
  resultOf(
    executionId: string,
    { signal, onWaiting }: Pick<CallOptions, "signal" | "onWaiting"> = {},
  ): Promise<ToolResult | undefined> {
    const asking = { signal, waits: { onWaiting } };
    return this.#calls.outcomeOf(executionId, keyOf(executionId, this.#options.caller), asking);
  }

  /** Calls that are out, and calls that wait to be. */
  counts(): { out: number; waiting: number } {
    const waiting = Array.from(this.#windows.values(), ({ queued }) => queued);
    return { out: this.#calls.size, waiting: waiting.reduce((sum, each) => sum + each, 0) };
  }

  /** What is out may still run, and is answered as unknown. What waits to be sent is not sent. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const window of this.#windows.values()) window.giveUp(0);
    this.#calls.close();
    this.#parts.fleet?.close();
    await leave(this.#parts.connection);
    this.#parts.publisher.close();
  }

  async #run(
    call: ToolCall,
    executionId: string,
    options: RemoteCallOptions,
    onAllowed?: () => void,
  ): Promise<ToolResult> {
    const { signal, runId = "", priority = this.#options.priority ?? "normal" } = options;
    const isKnown = options.executionId !== undefined;
    if (signal?.aborted && !isKnown) return cancelled({ call, executionId }, "before it was submitted");
    if (options.refusal !== undefined) return failedResult(call, executionId, options.refusal);
    if (this.#closing.signal.aborted) return closed({ call, executionId });
    const window = this.#windowOf(call.name);
    if (window.isFull) return tooManyWaiting({ call, executionId }, window.queued);
    const since = Date.now();
    const waiting = window.enter(runId, priority, signal);
    if (waiting !== undefined && !(await waiting))
      return this.#closing.signal.aborted
        ? closed({ call, executionId })
        : notTaken({ call, executionId }, Date.now() - since);
    const tell = (fact: CallFact) => this.#emit(call, executionId, options, fact);
    const held = new ToldCall(options.onWaiting, window, { tell, onAllowed });
    try {
      const result = await submitCall({ call, executionId, options, priority, held }, this.#submission);
      if (!held.wasParked) window.took(result.durationMs);
      held.ended(result);
      return result;
    } catch (error) {
      return failedResult(call, executionId, { code: "TOOL_EXECUTION_FAILED", message: messageOf(error) });
    } finally {
      held.leave();
      if (window.isIdle && this.#windows.size > MAX_WINDOWS) this.#windows.delete(call.name);
    }
  }

  #windowOf(name: string): SubmissionWindow {
    let window = this.#windows.get(name);
    if (window === undefined) {
      const { defaults } = natsExecutorOptions;
      const { maxInFlight = defaults.maxInFlight, maxWaiting = defaults.maxWaiting } = this.#options;
      window = new SubmissionWindow({ maxInFlight, maxWaiting }, () => this.#parts.router.capacityOf(name));
      this.#windows.set(name, window);
    }
    return window;
  }

  async #isSequential(
    calls: readonly ToolCall[],
    mode: BatchOptions["mode"],
    { priority = "normal" }: RemoteCallOptions,
  ): Promise<boolean> {
    if (mode === "sequential") return true;
    for (const call of calls) {
      const route = await this.#parts.router.route(call, priority);
      if ("sequential" in route && route.sequential) return true;
    }
    return false;
  }

  async #isGuarded(calls: readonly ToolCall[], { priority = "normal" }: RemoteCallOptions): Promise<boolean> {
    for (const call of calls) {
      const route = await this.#parts.router.route(call, priority);
      if ("guarded" in route && route.guarded) return true;
    }
    return false;
  }

  #announce(call: ToolCall, executionId: string, options: CallOptions): void {
    if (this.events.active) this.#emit(call, executionId, options, callStart(call, options, this.events));
  }

  #conclude(call: ToolCall, options: CallOptions, result: ToolResult, startedAt: number): void {
    if (!this.events.active || isWaiting(result)) return;
    const endedAt = Date.now();
    // An event is frozen, and what the caller gave is the caller's.
    const args = this.events.keeps("call.end") ? snapshot(call.arguments) : call.arguments;
    this.#emit(call, result.executionId, options, { type: "call.end", result, args, startedAt, endedAt });
  }

  #emit(call: ToolCall, id: string, options: CallOptions, fact: CallFact): void {
    if (!this.events.active) return;
    emitCallEvent(this.events, Date.now(), { id, call, options }, fact);
  }
}
