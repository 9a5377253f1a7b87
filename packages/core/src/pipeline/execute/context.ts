import type { CallOptions, ToolCall } from "../../call/call.ts";
import type { CallingLoop } from "../../call/calling-loop.ts";
import { fingerprintOf } from "../../call/fingerprint.ts";
import { type DataLabels, joinLabels } from "../../call/labels.ts";
import { ownCall } from "../../call/own-call.ts";
import type { Principal } from "../../call/principal.ts";
import type { LogLevel, ProgressUpdate } from "../../call/progress.ts";
import type { TraceCarrier } from "../../call/trace.ts";
import { snapshot } from "../../copy.ts";
import { failure } from "../../failure/failure.ts";
import { newId } from "../../ids.ts";
import { messageOf } from "../../plain.ts";
import { type NestedCallOptions, nestedCallOptions, type ToolContext } from "../../tool/context.ts";
import type { Resolved } from "../execution.ts";
import { readBy } from "../read-by.ts";
import { addReported } from "../reported-effects.ts";
import { askPerson } from "../waiting/question.ts";
import { containListeners } from "./contain-listeners.ts";
import { noteAsked } from "./earlier-calls.ts";
import { breachOf } from "./time-limit.ts";

/** The context of one attempt. Once closed, whatever the tool still reports is ignored. */
export class AttemptContext implements ToolContext {
  readonly attempt: number;
  readonly #execution: Resolved;
  #controller: AbortController | undefined;
  #abortReason: unknown;
  #closed = false;
  /** How often each call was made, and each question asked. */
  #made: Map<string, number> | undefined;
  #log: ToolContext["log"] | undefined;
  /** When a tool with an idle timeout last reported something, on the clock of the services. */
  activeAt = 0;
  /** Called on every sign of life. */
  onActivity: (() => void) | undefined;

  constructor(execution: Resolved) {
    this.#execution = execution;
    this.attempt = execution.attempts;
    if (execution.tool.idleTimeoutMs !== undefined) this.activeAt = execution.attemptedAt;
  }

  get executionId(): string {
    return this.#execution.id;
  }

  get callId(): string {
    return this.#execution.call.id;
  }

  get idempotencyKey(): string {
    return this.#execution.id;
  }

  get runId(): string | undefined {
    return this.#execution.options.runId;
  }

  get requestId(): string | undefined {
    return this.#execution.options.requestId;
  }

  get stepName(): string | undefined {
    return this.#execution.options.stepName;
  }

  get principal(): Principal | undefined {
    return this.#execution.options.principal;
  }

  get trace(): TraceCarrier | undefined {
    return this.#execution.trace;
  }

  get loop(): CallingLoop | undefined {
    return this.#execution.options.loop;
  }

  get read(): DataLabels | undefined {
    return readBy(this.#execution);
  }

  get maxContent(): number {
    return this.#execution.services.maxContent;
  }

  get timeoutMs(): number | undefined {
    return this.#execution.services.givenTimeoutMs;
  }

  get readOutput(): ToolContext["readOutput"] {
    return async (id, from, to) => this.#execution.services.artifacts.read(id, from, to);
  }

  /** Made on first use: most tools never look. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      containListeners(this.#controller.signal, (error) => {
        const message = `a listener on the signal threw: ${messageOf(error)}`;
        this.#execution.emit({ type: "call.log", level: "error", message });
      });
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  get log(): ToolContext["log"] {
    const at = (level: LogLevel) => (message: string, data?: unknown) => {
      if (!this.#closed)
        this.#execution.emit({
          type: "call.log",
          level,
          message,
          ...(data !== undefined && { data: snapshot(data) }),
        });
    };
    this.#log ??= { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
    return this.#log;
  }

  /** These three are functions of their own, so that a tool may take them out of its context. */
  get update(): ToolContext["update"] {
    return (update) => {
      if (this.#closed) return;
      if (this.onActivity !== undefined) this.onActivity();
      else if (this.#execution.tool.idleTimeoutMs !== undefined)
        this.activeAt = this.#execution.services.clock.now();
      if (this.#closed) return;
      const told = typeof update === "string" ? { content: update } : snapshot(update);
      this.#execution.emit({ type: "call.update", update: told });
      tell(this.#execution.options.onUpdate, told);
    };
  }

  get effect(): ToolContext["effect"] {
    return (effect) => {
      if (this.#closed) return;
      addReported(this.#execution, [effect]);
    };
  }

  /** A call that is over makes no more calls: they are answered as cancelled. */
  get call(): ToolContext["call"] {
    return (name, args, given = {}) => {
      const parent = this.#execution;
      const { source = "tool", onWaiting } = checkNested(given);
      parent.read = joinLabels(parent.read, given.labels);
      parent.labels = joinLabels(parent.labels, given.labels);
      // What is said of one call alone is not said of those that its tool makes.
      const {
        complete,
        onWaiting: _,
        trace,
        batch,
        beforeRun,
        onUpdate,
        reshape,
        ...inherited
      } = parent.options;
      const call = ownCall({ id: newId("call"), name, arguments: args });
      const own = this.#isOver() ? AbortSignal.abort() : this.signal;
      const signal = given.signal === undefined ? own : AbortSignal.any([own, given.signal]);
      const executionId = this.#idOf(call, given.nth);
      noteAsked(parent, executionId, given.nth !== undefined);
      const options = { executionId, source, signal, ...(onWaiting !== undefined && { onWaiting }) };
      const answer = parent.pipeline.call(call, { ...inherited, ...options }, parent);
      return answer.then((result) => {
        // What a tool makes of untrusted or private data is no better than that.
        parent.labels = joinLabels(parent.labels, result.labels);
        return result;
      });
    };
  }

  /**
   * The id of a call that the tool makes follows from what is called and how often this attempt has called it, so that a
   * tool that is started again finds in the ledger what it did the first time.
   */
  #idOf({ name, arguments: args }: ToolCall, nth: number | undefined): string {
    const key = fingerprintOf({ name, version: undefined }, args);
    const times = nth ?? this.#times(key);
    return `${this.#execution.id}.${key}${times === 1 ? "" : `.${times}`}`;
  }

  #times(key: string): number {
    this.#made ??= new Map();
    const times = (this.#made.get(key) ?? 0) + 1;
    this.#made.set(key, times);
    return times;
  }

  get held(): boolean {
    return this.#execution.isHeld;
  }

  get token(): string {
    return this.#execution.token;
  }

  /** A question is known by what it asks, and how often: a tool that is started again gets the answer that it had. */
  get ask(): ToolContext["ask"] {
    return async (question) => {
      const times = this.#times(JSON.stringify(["ask", question?.message, question?.schema !== undefined]));
      if (this.#isOver())
        throw failure({ code: "TOOL_CANCELLED", message: "The call is over and asks nothing more." });
      return (await askPerson(this.#execution, question, times)) as never;
    };
  }

  /** The clock is read: code that blocks the thread also keeps the timer of its deadline from firing. */
  #isOver(): boolean {
    const { running, services } = this.#execution;
    if (this.#closed) return true;
    const isLate = running?.overdue ?? breachOf(this.#execution, this, services.clock.now()) !== undefined;
    if (isLate) this.close();
    return isLate;
  }

  get closed(): boolean {
    return this.#closed;
  }

  abort(reason: unknown): void {
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }

  close(): void {
    this.#closed = true;
    this.onActivity = undefined;
  }
}

/** Whoever watches a call cannot change it. */
function tell(onUpdate: CallOptions["onUpdate"], update: ProgressUpdate): void {
  try {
    onUpdate?.(update);
  } catch {
    // As for a listener to events.
  }
}

/** Throws `OPTION_INVALID`: a call that is known by the wrong id would be made twice. */
function checkNested(options: NestedCallOptions): NestedCallOptions {
  nestedCallOptions.check(options);
  return options;
}
