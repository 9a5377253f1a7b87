import type { CallOptions, ToolCall } from "../call/call.ts";
import { CallBatch } from "../call/call-batch.ts";
import { emitCallEvent } from "../call/call-event.ts";
import { type CallState, isDone, nextState, PREPARING } from "../call/call-state.ts";
import { type Decoded, STRICT } from "../call/decoded.ts";
import type { Deed, Effect } from "../call/effects.ts";
import type { CallFact } from "../call/events.ts";
import type { DataLabels } from "../call/labels.ts";
import { makeFailedResult } from "../call/make-result.ts";
import type { ToolResult } from "../call/result.ts";
import type { TraceCarrier } from "../call/trace.ts";
import { frozenCopy, harden, snapshot } from "../copy.ts";
import { describeFailure, type Failure, type FailureInput } from "../failure/failure.ts";
import type { Ask } from "../guards/approval/approver.ts";
import type { BatchPlace } from "../guards/guard.ts";
import { newId } from "../ids.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { exceeds, UNDECLARED } from "../tool/safety.ts";
import type { AnyTool } from "../tool/tool.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Services } from "./services.ts";
import { newToken } from "./waiting/token.ts";

/** Facts of the few calls that wait for the world, or might. They hold in every state. */
export class Aside {
  token: string | undefined;
  /** What was told of it that its record needs, should it be parked. */
  facts: CallFact[] = [];
  waitedMs = 0;
}

/** What is known of the calls that a tool makes and that they make, for when it is started again. */
export class MadeCalls {
  readonly ids = new Set<string>();
  /** The tool numbers its calls itself, and knows which of them an earlier start made. */
  numbered = false;
  /** Why nobody can say whether one of them repeats a call of an earlier start. */
  unmatched: string | undefined;
}

/** Code that runs, and can be made to rest. */
export interface AtWork {
  /** One of its limits has passed, whether or not a timer could tell. */
  readonly overdue: boolean;
  rest(): void;
  endRest(): void;
  /** Ends it without an outcome: it will be started again. */
  suspend(result: ToolResult): void;
  cancel(): void;
}

/**
 * One call on its way through the pipeline: what is known of it so far. Stages read and fill it; nothing outside the
 * pipeline sees it.
 */
export class Execution {
  readonly services: Services;
  /** Takes the calls that the tool makes. */
  readonly pipeline: Pipeline;
  readonly id: string;
  readonly call: ToolCall;
  readonly options: CallOptions;
  /** The execution whose tool made this call. */
  readonly parent: Resolved | undefined;
  readonly batch: BatchPlace | undefined;
  startedAt: number;

  /** Unknown until it is resolved. */
  tool: AnyTool | undefined;
  args: unknown;
  /** What the schema made `args` of. Known once they are validated. */
  input: unknown;
  /** The arguments that were made unchangeable, and whether that could be done. */
  private sealed: unknown;
  private isSealed = true;
  decoded: Decoded = STRICT;
  /** Who wants approval, and why. */
  asks: Ask[] | undefined;
  advice: string[] | undefined;
  effects: Effect[] | undefined;
  stop: string | undefined;
  /** Of what the calls that the tool made returned, and of what it said of its own answer. */
  labels: DataLabels | undefined;
  /**
   * Of what was read by other ways than calls that guards here saw: what the tool said of itself, and what the run had read when
   * the call was put aside. Guards of the call and of those it makes are told.
   */
  read: DataLabels | undefined;
  attempts = 0;
  /** Starts of the tool's code by a process that is gone; part of `attempts`. */
  earlier = 0;
  /** What the calls that the tool made did, where that is more than it says of itself. */
  did: Deed | undefined;
  /** Nothing of it was begun before: the ledger saw its intent for the first time. */
  isNew = false;
  /** Of the calls that its tool makes, where an earlier start may have made some, too. */
  made: MadeCalls | undefined;
  /** `seq` of its `call.start`. */
  startSeq: number | undefined;
  /** When the latest attempt began, moved by what it was at rest. */
  attemptedAt = 0;
  /** The attempt under way, so that its deadline can stand still. */
  running: AtWork | undefined;
  /** The latest attempt as its tool sees it. */
  context: { abort(reason: unknown): void } | undefined;
  /** Of a call that waits for the world, or might. */
  aside: Aside | undefined;
  /** The calls that the tool makes. A native private field would cost every call. */
  private madeCalls: CallBatch | undefined;
  /** Awaited before the tool's code starts: the call's turn in its batch. */
  turn: (() => MaybePromise<unknown>) | undefined;
  /** Noted only while somebody listens. */
  preparedAt = 0;
  endedAt = 0;
  /** It continues an execution that guards let pass before. */
  resumed = false;
  /** Changed by `move` alone. */
  private current: CallState = PREPARING;

  constructor(
    services: Services,
    pipeline: Pipeline,
    call: ToolCall,
    options: CallOptions,
    parent: Resolved | undefined,
    batch?: BatchPlace,
  ) {
    this.services = services;
    this.pipeline = pipeline;
    this.call = call;
    this.options = options;
    this.parent = parent;
    this.batch = batch;
    this.id = options.executionId ?? newId("exec");
    this.startedAt = services.clock.now();
  }

  /** The batch of the calls that the tool makes. */
  get calls(): CallBatch {
    this.madeCalls ??= new CallBatch();
    return this.madeCalls;
  }

  get cancelled(): boolean {
    return this.options.signal?.aborted === true || this.services.stopping.signal.aborted;
  }

  /** Whether the call, or one that it was made on behalf of, was found in prose. */
  get isExtracted(): boolean {
    return this.options.source === "extracted" || this.parent?.isExtracted === true;
  }

  /** Ends whatever the call waits for: its caller cancelled, or the executor stops. */
  get interrupted(): AbortSignal {
    const { signal } = this.options;
    const { stopping } = this.services;
    return signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal]);
  }

  /** Whoever made the call waits for its result, however long that takes. A tool that calls another does, unless it says so. */
  get isHeld(): boolean {
    return (this.options.onWaiting ?? "hold") === "hold";
  }

  get parentId(): string | undefined {
    return this.parent?.id ?? this.options.parentId;
  }

  /** For whoever goes on with the call elsewhere. */
  get trace(): TraceCarrier | undefined {
    return this.services.tracer?.carrier(this.id) ?? this.options.trace;
  }

  get waiting(): Aside {
    this.aside ??= new Aside();
    return this.aside;
  }

  get state(): CallState {
    return this.current;
  }

  move(to: CallState): void {
    this.current = nextState(this.current, to);
  }

  /** Its `call.end` is out, or it was put aside: of what still happens, only `call.late` is told. */
  get ended(): boolean {
    return isDone(this.current);
  }

  /** The outcome of a call that took an impossible turn or lost track of what it did, whatever else is said of it. */
  get doubt(): ToolResult | undefined {
    const unmatched = this.made?.unmatched;
    if (unmatched !== undefined) return this.failed({ code: "TOOL_OUTCOME_UNKNOWN", message: unmatched });
    if (this.current.at !== "broken") return undefined;
    const { from, to } = this.current;
    const message = `The call went from "${from}" to "${to}", which is a defect of Toolrig. It may have happened; verify before you try again.`;
    return this.failed({ code: "TOOL_OUTCOME_UNKNOWN", message });
  }

  /** Who has it may complete the call from elsewhere. Made when it is first asked for. */
  get token(): string {
    if (this.waiting.token === undefined) {
      this.waiting.token = newToken();
      this.services.early.add(this.id);
    }
    return this.waiting.token;
  }

  emit(fact: CallFact): void {
    const { events, clock } = this.services;
    if (fact.type === "call.verdict" || fact.type === "call.retry" || fact.type === "call.error")
      this.waiting.facts.push(fact);
    if (!events.active || (this.ended && fact.type !== "call.late")) return;
    emitCallEvent(events, clock.now(), this, fact);
  }

  /** The arguments as a guard or an approver sees them, who cannot change what was checked. */
  get shownArgs(): unknown {
    return this.seal() ? this.args : frozenCopy(this.args);
  }

  /** The arguments for listeners that may keep them. */
  get toldArgs(): unknown {
    return this.seal() ? this.args : snapshot(this.args);
  }

  /** Whether the arguments themselves can be given to others from here on. */
  private seal(): boolean {
    if (this.sealed !== this.args) {
      this.sealed = this.args;
      this.isSealed = harden(this.args);
    }
    return this.isSealed;
  }

  /** A failure as it may be shown. */
  describe(input: FailureInput): Failure {
    const { redactor } = this.services;
    const failure = describeFailure(input);
    failure.message = redactor.text(failure.message);
    // What is wrong with arguments quotes them, and the model need not be who wrote them.
    if (failure.details !== undefined) failure.details = redactor.value(failure.details);
    return failure;
  }

  /** The result of a call that did not succeed. Every failure of the pipeline is made here. */
  failed(input: FailureInput): ToolResult {
    const result = makeFailedResult(this, this.describe(input));
    if (this.labels !== undefined) result.labels = this.labels;
    return result;
  }

  /** The result of this execution from an earlier time it ran: now nothing has run. */
  replayed(result: ToolResult): ToolResult {
    this.attempts = 0;
    this.effects = result.effects;
    return { ...result, callId: this.call.id, attempts: 0, replayed: true };
  }

  /** Its code is about to run. Those that made the call did at least what that does, before they can be started again. */
  begin(): void {
    this.attempts += 1;
    this.endedAt = 0;
    if (!isResolved(this)) return;
    for (let caller = this.parent; caller !== undefined; caller = caller.parent) caller.didBy(this);
  }

  /** A call that the tool made runs, or has run. */
  didBy(child: Resolved): void {
    for (const safety of [child.tool.safety, child.did])
      if (safety !== undefined && exceeds(safety, this.did ?? this.tool?.safety ?? UNDECLARED))
        this.did = safety;
  }

  /** The call runs once somebody approves it. */
  ask(ask: Ask): void {
    this.asks = [...(this.asks ?? []), ask];
  }

  /** Something for the model to read with the result. */
  advise(text: string): void {
    this.advice = [...(this.advice ?? []), text];
  }

  resolveTo(tool: AnyTool): Resolved {
    this.tool = tool;
    return this as Resolved;
  }
}

/** An execution whose tool is known: what every stage after resolve gets. */
export interface Resolved extends Execution {
  tool: AnyTool;
}

export function isResolved(execution: Execution): execution is Resolved {
  return execution.tool !== undefined;
}
