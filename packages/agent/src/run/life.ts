import type { Listener, Principal, TraceCarrier, Tracer } from "@toolrig/core";
import {
  type Clock,
  canonicalJson,
  declareOptions,
  defined,
  type Journal,
  type JournalEntry,
  messageOf,
  newId,
  type OptionTable,
  option,
  principalOption,
  type RunHeader,
  type RunTrace,
  type TracedOutcome,
  toPlain,
  traceOption,
} from "@toolrig/core/kit";
import type { CallEvents } from "./call-events.ts";
import type { Queued } from "./event-queue.ts";
import { linkSignal } from "./link-signal.ts";
import { type RunError, runErrorOf } from "./outcome.ts";
import { inTime, type PatienceOptions, WRITE_GRACE_MS } from "./patience.ts";
import { RunEvents } from "./run-events.ts";
import { RunWriter } from "./run-writer.ts";
import { TimeBudget } from "./time-budget.ts";
import type { Trace } from "./trace.ts";

/** What whoever starts a run may say about it. */
export interface LifeOptions {
  signal?: AbortSignal;
  /** Default: a new one. */
  runId?: string;
  /** Default: a new one. */
  requestId?: string;
  stepName?: string;
  /** The execution or run that starts this run. */
  parentId?: string;
  /** On whose behalf it runs. Default: of a run that is continued or forked, whom it was for. */
  principal?: Principal;
  /** The trace that the run is part of, where it was asked for in another process. */
  trace?: TraceCarrier;
}

export const lifeOptions = declareOptions("a run", {
  signal: option.abortSignal(),
  runId: option.id(),
  requestId: option.id(),
  stepName: option.id(),
  parentId: option.id(),
  principal: principalOption(),
  trace: traceOption(),
} satisfies OptionTable<LifeOptions>);

/** What runs share that are started by the same loop or executor of plans. */
export interface LifeSetup<Event> {
  readonly journal: Journal | undefined;
  readonly clock: Clock;
  /** Stands around runs and responses of models. */
  readonly tracer: Tracer | undefined;
  readonly listeners: readonly Listener<Event>[];
  /** How long hooks and the journal have to answer. */
  readonly answerMs: number;
  /** A run that takes longer is aborted. What it waits for the world does not count. */
  readonly timeBudgetMs?: number | undefined;
}

/** What a run does with its life. */
export interface Course<Ending, Outcome extends TracedOutcome, Fact> {
  readonly kind: "loop" | "plan";
  /** From the start to the end. What it throws fails the run. */
  carryOut(): Promise<Ending>;
  failed(error: RunError): Ending;
  /** How the run ends when its signal aborted and nothing else ended it. */
  aborted(): Ending;
  /**
   * What the run came to: for who waits for it, for the journal, and as the last event. Nothing can be said to the run
   * any more when this is called. A run that is `suspended` is not over in the journal.
   */
  close(ending: Ending): { outcome: Outcome; entry: unknown; fact: Fact; suspended?: boolean };
  /** After the last event: lets go of what was kept for the run. */
  forget?(): unknown;
}

/**
 * The life of one run, whether of a loop or of a plan: it has a trace, can be aborted from within and without, is
 * listened to and written down, begins one step after it was asked for, and ends exactly once, whatever happens.
 */
export class RunLife<Event extends Queued, Fact extends { type: string }> {
  readonly trace: Trace;
  readonly events: RunEvents<Event, Fact>;
  readonly writer: RunWriter;
  /** For whoever asks somebody on the run's way. */
  readonly patience: PatienceOptions;
  readonly #setup: LifeSetup<Event>;
  readonly #controller = new AbortController();
  readonly #unlink: () => void;
  readonly #budget: TimeBudget | undefined;
  readonly #from: TraceCarrier | undefined;
  /** Where somebody follows the run. */
  #traced: RunTrace | undefined;
  #principal: Principal | undefined;
  #calls: CallEvents;
  #timedOut = false;
  #over = false;

  /** `calls` are the events of the executor that runs the calls. */
  constructor(setup: LifeSetup<Event>, calls: CallEvents, options: LifeOptions) {
    const { runId = newId("run"), requestId = newId("req"), stepName, parentId } = options;
    this.trace = {
      runId,
      requestId,
      ...defined({ stepName, parentId }),
    };
    this.#principal = options.principal;
    this.#from = options.trace;
    this.#setup = setup;
    this.#calls = calls;
    const { clock, answerMs: limitMs } = setup;
    this.patience = { clock, signal: this.#controller.signal, limitMs };
    this.writer = new RunWriter(setup.journal, runId, this.patience);
    this.events = new RunEvents(this.trace, setup.clock, setup.listeners, () => this.#subscribe());
    this.#unlink = linkSignal(options.signal, this.#controller);
    const { timeBudgetMs: ms } = setup;
    if (ms !== undefined) this.#budget = new TimeBudget(clock, ms, () => this.#timeUp(ms));
  }

  get runId(): string {
    return this.trace.runId;
  }

  /** Of a run that is continued: known once its journal was read. */
  get principal(): Principal | undefined {
    return this.#principal;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.#over;
  }

  abort(reason: string): void {
    if (!this.#over) this.#controller.abort(new DOMException(reason, "AbortError"));
  }

  /** Why the run ends now that its signal has aborted. */
  cancellation(): RunError {
    const code = this.#timedOut ? "CANCELLED_TIMEOUT" : "CANCELLED_SIGNAL";
    return { code, message: messageOf(this.signal.reason) };
  }

  /** The calls of the run go through another executor from now on. */
  watchCalls(calls: CallEvents): void {
    if (calls === this.#calls) return;
    this.#calls.unsubscribe(this.runId);
    this.#calls = calls;
    if (this.events.active || this.#budget !== undefined) this.#subscribe();
  }

  /** What the model is asked, as part of the run's time. */
  thinking<T>(asked: Promise<T>): Promise<T> {
    return this.#budget === undefined ? asked : this.#budget.thinking(asked);
  }

  /** Enters a run that was not there before in the journal. */
  async enter(about: Pick<RunHeader, "kind" | "input" | "forkedFrom">): Promise<void> {
    const { journal, clock } = this.#setup;
    const { runId, requestId } = this.trace;
    const principal = plainPrincipal(this.#principal);
    const header = { runId, requestId, startedAt: clock.now(), ...(principal && { principal }), ...about };
    const begun = journal?.begin(header);
    await inTime("The journal", begun, this.patience, WRITE_GRACE_MS);
  }

  /** A run without a principal of its own is on behalf of whom its past was for. */
  inherit(header: RunHeader, entries: readonly JournalEntry[]): void {
    this.#principal ??= principalOf(header, entries);
  }

  /** Goes on with a run that is in the journal. That somebody else is named than before is written down. */
  async takeUp(header: RunHeader, entries: readonly JournalEntry[]): Promise<void> {
    this.writer.continueAfter(entries.length);
    const before = entries.findLast((entry) => entry.type === "waiting")?.trace;
    if (before !== undefined) this.#traced?.resumes(before);
    this.inherit(header, entries);
    const principal = plainPrincipal(this.#principal);
    if (principal === undefined || isSame(principal, principalOf(header, entries))) return;
    await this.writer.write([{ type: "principal", principal }]);
  }

  /** Takes the run from its start to its end. Called once; never rejects. */
  begin<Ending, Outcome extends TracedOutcome>(course: Course<Ending, Outcome, Fact>): Promise<Outcome> {
    const { tracer } = this.#setup;
    // One step later, so that whoever reads the events is there for the first one.
    const live = () => Promise.resolve().then(() => this.#live(course));
    if (tracer === undefined) return live();
    return tracer.run({ kind: course.kind, ...this.trace, trace: this.#from }, (traced) => {
      this.#traced = traced;
      return live();
    });
  }

  async #live<Ending, Outcome extends TracedOutcome>(
    course: Course<Ending, Outcome, Fact>,
  ): Promise<Outcome> {
    if (this.#budget !== undefined) this.#subscribe();
    this.#budget?.start();
    const ending = await this.#carriedOut(course);
    this.#over = true;
    const { outcome, entry, fact, suspended = false } = course.close(ending);
    try {
      // What is suspended, and still is, has said so.
      if (!suspended || !this.writer.isUntouched)
        await this.writer.write([suspended ? this.#waiting(entry) : { type: "end", outcome: entry }]);
    } catch {
      // The outcome stands; a run whose end is not written down can be resumed, and then ends again.
    }
    this.#budget?.stop();
    this.#unlink();
    this.events.end(fact);
    this.#calls.unsubscribe(this.runId);
    letGo(course);
    return outcome;
  }

  async #carriedOut<Ending>(course: Course<Ending, TracedOutcome, unknown>): Promise<Ending> {
    try {
      return await course.carryOut();
    } catch (error) {
      return this.signal.aborted ? course.aborted() : course.failed(runErrorOf(error));
    }
  }

  #waiting(outcome: unknown): JournalEntry {
    const trace = this.#traced?.carrier();
    return trace === undefined ? { type: "waiting", outcome } : { type: "waiting", outcome, trace };
  }

  #timeUp(ms: number): void {
    this.#timedOut = true;
    const message = `The run took longer than its budget of ${ms}ms.`;
    this.#controller.abort(new DOMException(message, "TimeoutError"));
  }

  #subscribe(): void {
    this.#calls.subscribe(this.runId, (event) => {
      this.#budget?.see(event);
      this.events.forward(event);
    });
  }
}

function principalOf(header: RunHeader, entries: readonly JournalEntry[]): Principal | undefined {
  return entries.findLast((entry) => entry.type === "principal")?.principal ?? header.principal;
}

/** As a journal keeps it, so that it is the same after a restart. */
function plainPrincipal(principal: Principal | undefined): Principal | undefined {
  return principal === undefined ? undefined : (JSON.parse(JSON.stringify(toPlain(principal))) as Principal);
}

/** What was kept for a run that is over is nobody's reason to fail it. */
function letGo(course: Course<unknown, TracedOutcome, unknown>): void {
  try {
    Promise.resolve(course.forget?.()).catch(() => {});
  } catch {
    // The outcome stands.
  }
}

/** As they are kept. */
function isSame(one: Principal, other: Principal | undefined): boolean {
  return canonicalJson(toPlain(one)) === canonicalJson(toPlain(other ?? null));
}
