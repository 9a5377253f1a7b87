import type { NatsConnection } from "@nats-io/transport-node";
import {
  type BatchOptions,
  type CallEvent,
  type CallExecutor,
  type CallOptions,
  type Duration,
  EventStream,
  failedResult,
  newId,
  parseDuration,
  type ToolCall,
  type ToolResult,
} from "@toolrig/core";
import { AckedPublisher, PublishError } from "./acked-publisher.ts";
import { CallJournal } from "./call-journal.ts";
import { type NatsOptions, open } from "./connection.ts";
import { Fleet } from "./fleet.ts";
import { executeSubject, keyOf, keyPrefix, SUBJECT } from "./names.ts";
import { Payloads } from "./payload.ts";
import { type FleetNames, type FleetOptions, setUp } from "./setup.ts";
import { fingerprintOf, type JournalState, type RemoteOptions, readState } from "./wire.ts";

export interface NatsExecutorOptions {
  nats: NatsOptions;
  fleet?: FleetOptions;
  /** How long a call may wait for a worker to start it. Then it is withdrawn and never runs. Default "60s". */
  queueTimeout?: Duration;
}

interface Pending {
  executionId: string;
  call: ToolCall;
  subject: string;
  body: string;
  fingerprint: string;
  submittedAt: number;
  lastLookAt: number;
  started: boolean;
  updates: number;
  resolve(result: ToolResult): void;
}

const LOOK_MS = 1_000;
/** Longer than any delivery takes; then the journal is asked, and the call submitted again if it is not there. */
const DOUBT_MS = 5_000;

/** Runs calls on a fleet. The same interface as the local executor: whoever calls does not know. */
export class NatsExecutor implements CallExecutor {
  readonly events = new EventStream();
  readonly #connection: NatsConnection;
  readonly #publisher: AckedPublisher;
  readonly #journal: CallJournal;
  readonly #payloads: Payloads;
  readonly #queueTimeoutMs: number;
  readonly #names: FleetNames;
  #fleet: Promise<Fleet> | undefined;
  readonly #pending = new Map<string, Pending>();
  readonly #prefixes = new Set<string>();
  readonly #looker: ReturnType<typeof setInterval>;

  private constructor(
    connection: NatsConnection,
    publisher: AckedPublisher,
    journal: CallJournal,
    names: FleetNames,
    queueTimeoutMs: number,
  ) {
    this.#connection = connection;
    this.#publisher = publisher;
    this.#journal = journal;
    this.#names = names;
    this.#payloads = new Payloads(connection, names.objects);
    this.#queueTimeoutMs = queueTimeoutMs;
    this.#looker = setInterval(() => void this.#look(), LOOK_MS);
    this.#looker.unref();
    void this.#watchConnection();
  }

  static async connect({
    nats,
    fleet = {},
    queueTimeout = "60s",
  }: NatsExecutorOptions): Promise<NatsExecutor> {
    const connection = await open(nats, newId("caller"));
    const names = await setUp(connection, fleet);
    const publisher = new AckedPublisher(connection);
    const journal = await CallJournal.open(connection, publisher, names.journal);
    return new NatsExecutor(
      connection,
      publisher,
      journal,
      names,
      parseDuration(queueTimeout, "queueTimeout"),
    );
  }

  /** Never rejects. */
  async call(call: ToolCall, options: CallOptions = {}): Promise<ToolResult> {
    const executionId = options.executionId ?? newId("exec");
    this.#emit(call, executionId, options, {
      type: "call.start",
      arguments: call.arguments,
      source: options.source ?? "model",
    });
    const startedAt = Date.now();
    const result = await this.#run(call, executionId, options);
    result.durationMs ||= Date.now() - startedAt;
    this.#emit(call, executionId, options, {
      type: "call.end",
      result,
      args: call.arguments,
      startedAt,
      endedAt: Date.now(),
    });
    return result;
  }

  /** Results in the order of the calls. Never rejects. */
  async batch(
    calls: readonly ToolCall[],
    { mode, executionIds, ...options }: BatchOptions = {},
  ): Promise<ToolResult[]> {
    const one = (call: ToolCall, index: number) => {
      const executionId = executionIds?.[index];
      return this.call(call, executionId === undefined ? options : { ...options, executionId });
    };
    if (mode !== "sequential") return Promise.all(calls.map(one));
    const results: ToolResult[] = [];
    for (const [index, call] of calls.entries()) results.push(await one(call, index));
    return results;
  }

  /** The live workers and their tools: a source for a loop that runs on the fleet. */
  fleet(): Promise<Fleet> {
    this.#fleet ??= Fleet.open(this.#connection, this.#names.workers);
    return this.#fleet;
  }

  /** The outcome of an execution that was started before, perhaps by a process that is gone. Waits for it if it runs. */
  async resultOf(executionId: string): Promise<ToolResult | undefined> {
    const known = await this.#journal.read(executionId);
    return known?.state.state === "final" ? this.#payloads.resultOf(known.state) : undefined;
  }

  async close(): Promise<void> {
    clearInterval(this.#looker);
    for (const pending of [...this.#pending.values()]) {
      this.#settle(
        pending,
        failedResult(pending.call, pending.executionId, {
          code: "TOOL_CANCELLED",
          message: "The caller closed its connection. The call may still run; its outcome is in the journal.",
        }),
      );
    }
    this.#publisher.close();
    await this.#connection.drain();
  }

  async #run(call: ToolCall, executionId: string, options: CallOptions): Promise<ToolResult> {
    const { signal } = options;
    if (signal?.aborted) return cancelled(call, executionId, "before it was submitted");
    this.#listen(keyPrefix(keyOf(executionId)));
    const fingerprint = fingerprintOf(call);
    const submittedAt = Date.now();
    const { complete, source, runId, requestId, stepName, principal } = options;
    const remote = { complete, source, runId, requestId, stepName, principal } as RemoteOptions;
    const body = JSON.stringify({ executionId, call, options: remote, fingerprint, submittedAt });
    const result = new Promise<ToolResult>((resolve) => {
      this.#pending.set(keyOf(executionId), {
        executionId,
        call,
        subject: subjectOf(call),
        body,
        fingerprint,
        submittedAt,
        lastLookAt: submittedAt,
        started: false,
        updates: 0,
        resolve,
      });
    });
    const onAbort = () => void this.#cancel(keyOf(executionId));
    signal?.addEventListener("abort", onAbort, { once: true });
    void this.#submit(this.#pending.get(keyOf(executionId))!, options.executionId !== undefined);
    return result.finally(() => signal?.removeEventListener("abort", onAbort));
  }

  /** A call that may have been made before is looked up first; submitting it twice is safe, but costs more. */
  async #submit(pending: Pending, lookFirst: boolean): Promise<void> {
    if (lookFirst && (await this.#lookAt(pending).catch(() => false))) return;
    try {
      await this.#publisher.publish(pending.subject, pending.body, { "Nats-Msg-Id": pending.executionId });
    } catch (error) {
      if (error instanceof PublishError && error.isUncertain && error.code === 0) return;
      this.#settle(pending, this.#refusal(pending, error));
    }
  }

  #refusal({ call, executionId }: Pending, error: unknown): ToolResult {
    if (error instanceof PublishError && error.isFull) {
      const message = "The fleet's queue is full. Try again in a while.";
      return failedResult(call, executionId, {
        code: "TOOL_RATE_LIMITED",
        message,
        details: { retryAfterMs: 1_000 },
      });
    }
    const why = error instanceof Error ? error.message : String(error);
    return failedResult(call, executionId, {
      code: "TOOL_UNAVAILABLE",
      message: `The call could not be submitted: ${why}`,
    });
  }

  /** One subscription for all executions that share a prefix: results, and progress. */
  #listen(prefix: string): void {
    if (this.#prefixes.has(prefix)) return;
    this.#prefixes.add(prefix);
    this.#connection.subscribe(`${SUBJECT.result}.${prefix}.>`, {
      callback: (_error, message) => {
        const pending = this.#pending.get(message.subject.slice(SUBJECT.result.length + 1));
        if (pending !== undefined) void this.#advance(pending, message.string());
      },
    });
    this.#connection.subscribe(`${SUBJECT.update}.${prefix}.>`, {
      callback: (_error, message) => {
        const pending = this.#pending.get(message.subject.slice(SUBJECT.update.length + 1));
        if (pending !== undefined) this.#progress(pending, message.string());
      },
    });
  }

  async #advance(pending: Pending, text: string): Promise<void> {
    let state: JournalState;
    try {
      state = readState(text);
    } catch {
      return;
    }
    if (state.state === "started") {
      pending.started = true;
      return;
    }
    await this.#finish(pending, state);
  }

  async #finish(pending: Pending, state: Extract<JournalState, { state: "final" }>): Promise<void> {
    if (state.fingerprint !== pending.fingerprint) {
      const message = `Execution ${pending.executionId} belongs to a call with other arguments, so this one did not run.`;
      this.#settle(
        pending,
        failedResult(pending.call, pending.executionId, { code: "TOOL_BLOCKED", message }),
      );
      return;
    }
    try {
      const result = await this.#payloads.resultOf(state);
      this.#settle(pending, { ...result, callId: pending.call.id });
    } catch (error) {
      const message = `The call ended, but its result could not be read: ${error instanceof Error ? error.message : String(error)}`;
      this.#settle(
        pending,
        failedResult(pending.call, pending.executionId, { code: "TOOL_OUTCOME_UNKNOWN", message }),
      );
    }
  }

  #progress(pending: Pending, text: string): void {
    const { n, event } = JSON.parse(text) as { n: number; event: CallEvent };
    if (n <= pending.updates) return;
    pending.updates = n;
    this.events.emit({ ...event, seq: this.events.nextSeq() });
  }

  #settle(pending: Pending, result: ToolResult): void {
    const key = keyOf(pending.executionId);
    if (this.#pending.get(key) !== pending) return;
    this.#pending.delete(key);
    pending.resolve(result);
  }

  /** If the cancellation is in the journal first, the call never runs; otherwise its worker is told. */
  async #cancel(key: string): Promise<void> {
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    const withdrawn = await this.#withdraw(
      pending,
      cancelled(pending.call, pending.executionId, "before it ran"),
    ).catch(() => false);
    if (!withdrawn) this.#connection.publish(`${SUBJECT.cancel}.${key}`);
  }

  async #withdraw(pending: Pending, result: ToolResult): Promise<boolean> {
    const { executionId, fingerprint } = pending;
    const entry: JournalState = { state: "final", fingerprint, result, at: Date.now() };
    if ((await this.#journal.write(executionId, entry, 0)) === undefined) return false;
    this.#settle(pending, result);
    return true;
  }

  /** The safety net: whatever was forgotten on the way, the journal knows, and submitting again is safe. */
  async #look(): Promise<void> {
    const now = Date.now();
    for (const pending of [...this.#pending.values()]) {
      if (now - pending.lastLookAt < DOUBT_MS) continue;
      pending.lastLookAt = now;
      const found = await this.#lookAt(pending).catch(() => true);
      if (found) continue;
      if (now - pending.submittedAt > this.#queueTimeoutMs) await this.#giveUp(pending).catch(() => false);
      else
        await this.#publisher
          .publish(pending.subject, pending.body, { "Nats-Msg-Id": `${pending.executionId}#${now}` })
          .catch(() => {});
    }
  }

  /** Whether the journal has an entry; a final one settles the call. */
  async #lookAt(pending: Pending): Promise<boolean> {
    const known = await this.#journal.read(pending.executionId);
    if (known?.state.state === "final") await this.#finish(pending, known.state);
    return known !== undefined;
  }

  #giveUp(pending: Pending): Promise<boolean> {
    const message = `No worker took the call within ${this.#queueTimeoutMs} ms; it was withdrawn and will not run. Is a worker with ${pending.call.name} running?`;
    return this.#withdraw(
      pending,
      failedResult(pending.call, pending.executionId, { code: "TOOL_UNAVAILABLE", message }),
    );
  }

  async #watchConnection(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type !== "reconnect") continue;
      for (const pending of this.#pending.values()) pending.lastLookAt = 0;
      void this.#look();
    }
  }

  #emit(call: ToolCall, executionId: string, options: CallOptions, fact: object): void {
    if (!this.events.active) return;
    const { runId, requestId, stepName } = options;
    this.events.emit({
      seq: this.events.nextSeq(),
      at: Date.now(),
      executionId,
      callId: call.id,
      name: call.name,
      ...(runId !== undefined && { runId }),
      ...(requestId !== undefined && { requestId }),
      ...(stepName !== undefined && { stepName }),
      ...fact,
    } as CallEvent);
  }
}

/** A version range names its major version on the wire, so that only workers that have it see the call. */
function subjectOf({ name, version }: ToolCall): string {
  const major = version === undefined ? undefined : /^[\^~=v]*(\d+)/.exec(version)?.[1];
  return executeSubject(name, major === undefined ? undefined : Number(major));
}

function cancelled(call: ToolCall, executionId: string, when: string): ToolResult {
  return failedResult(call, executionId, {
    code: "TOOL_CANCELLED",
    message: `The call was cancelled ${when}.`,
  });
}
