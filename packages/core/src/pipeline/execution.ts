import type { CallOptions, ToolCall } from "../call/call.ts";
import { type Decoded, STRICT } from "../call/decoded.ts";
import type { Effect } from "../call/effects.ts";
import type { CallEvent, CallFact } from "../call/events.ts";
import { failureContent } from "../call/failure-text.ts";
import type { DataLabels } from "../call/labels.ts";
import type { ToolResult } from "../call/result.ts";
import { describeFailure, type Failure, type FailureInput } from "../failure/failure.ts";
import type { BatchPlace, GuardInput } from "../guards/guard.ts";
import { newId } from "../ids.ts";
import type { AnyTool } from "../tool/tool.ts";
import type { System } from "./services.ts";

/**
 * One call on its way through the pipeline: what is known of it so far. Stages read and fill it; nothing outside the
 * pipeline sees it.
 */
export class Execution {
  readonly system: System;
  readonly id: string;
  readonly call: ToolCall;
  readonly options: CallOptions;
  /** The execution whose tool made this call. */
  readonly parent: Execution | undefined;
  readonly batch: BatchPlace | undefined;
  readonly startedAt: number;

  /** Set by resolve; stages after it may rely on it. */
  tool!: AnyTool;
  args: unknown;
  decoded: Decoded = STRICT;
  /** Why approval is needed. */
  asks: string[] | undefined;
  advice: string[] | undefined;
  effects: Effect[] | undefined;
  stop: string | undefined;
  /** Of what the calls that the tool made returned, and of what it said of its own answer. */
  labels: DataLabels | undefined;
  attempts = 0;
  /** Noted only while somebody listens. */
  preparedAt = 0;
  endedAt = 0;
  /** Its `call.end` is out: of what still happens, only `call.late` is told. */
  ended = false;

  constructor(
    system: System,
    call: ToolCall,
    options: CallOptions,
    parent: Execution | undefined,
    batch?: BatchPlace,
  ) {
    this.system = system;
    this.call = call;
    this.options = options;
    this.parent = parent;
    this.batch = batch;
    this.id = options.executionId ?? newId("exec");
    this.startedAt = system.clock.now();
  }

  get cancelled(): boolean {
    return this.options.signal?.aborted === true || this.system.stopping.signal.aborted;
  }

  /** Ends whatever the call waits for: its caller cancelled, or the executor stops. */
  get interrupted(): AbortSignal {
    const { signal } = this.options;
    const { stopping } = this.system;
    return signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal]);
  }

  emit(fact: CallFact): void {
    const { events, clock } = this.system;
    if (!events.active || (this.ended && fact.type !== "call.late")) return;
    const { runId, requestId, stepName } = this.options;
    const event = {
      seq: events.nextSeq(),
      at: clock.now(),
      executionId: this.id,
      callId: this.call.id,
      name: this.call.name,
      ...(runId !== undefined && { runId }),
      ...(requestId !== undefined && { requestId }),
      ...(stepName !== undefined && { stepName }),
      ...(this.parent !== undefined && { parentId: this.parent.id }),
      ...fact,
    };
    events.emit(event as CallEvent);
  }

  /** The result of a call that did not succeed. Every failure of the pipeline is made here. */
  failed(input: FailureInput | Failure): ToolResult {
    const failure = describeFailure(input);
    failure.message = this.system.redactor.text(failure.message);
    const result: ToolResult = {
      callId: this.call.id,
      executionId: this.id,
      name: this.call.name,
      isError: true,
      content: failureContent(failure),
      failure,
      decoded: this.decoded,
      attempts: this.attempts,
      durationMs: 0,
    };
    if (this.labels !== undefined) result.labels = this.labels;
    return result;
  }

  guardInput(): GuardInput {
    const { source = "model", runId, requestId, stepName, principal } = this.options;
    return {
      call: this.call,
      tool: this.tool,
      args: this.args,
      executionId: this.id,
      decoded: this.decoded,
      source,
      provider: this.system.source.providerOf?.(this.tool),
      runId,
      requestId,
      stepName,
      principal,
      batch: this.batch ?? { id: this.id, size: 1, index: 0 },
    };
  }
}
