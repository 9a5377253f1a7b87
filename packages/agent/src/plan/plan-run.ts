import { type CallExecutor, MemoryJournal, type Principal, type ToolSource } from "@toolrig/core";
import {
  CallBatch,
  type Clock,
  defined,
  type Journal,
  type JournalEntry,
  type MaybePromise,
} from "@toolrig/core/kit";
import type { AgentLoopOptions } from "../loop/options.ts";
import { isDelegated } from "../run/flow.ts";
import type { RunLife } from "../run/life.ts";
import { runErrorOf, type WaitingCall } from "../run/outcome.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { Trace } from "../run/trace.ts";
import { blockedBy } from "./blocked.ts";
import type { PlanEvent, PlanFact } from "./events.ts";
import { asText } from "./flow.ts";
import type { PlanOutcome, StepError, StepReport } from "./outcome.ts";
import type { Plan, Step } from "./plan.ts";
import { type Progress, progressOf } from "./progress.ts";
import { fill } from "./reference.ts";
import { runStep } from "./run-step.ts";
import { Schedule, type Scheduled } from "./schedule.ts";
import type { PlanSetup } from "./set-up.ts";

/** What a plan run begins with: known at once, or after the journal was read. */
export interface Beginning {
  plan: Plan;
  input: unknown;
  progress: Progress;
  resumed: boolean;
}

/** Where one plan under way stands: what is done, and what came of it. */
export class PlanRun {
  readonly setup: PlanSetup;
  /** What references stand for: the outputs so far, and the input. */
  readonly outputs = new Map<string, unknown>();
  /** The calls of its steps: a guard's `stop` holds back those after it. */
  readonly calls = new CallBatch();
  readonly #life: RunLife<PlanEvent, PlanFact>;
  readonly #reports = new Map<string, StepReport>();
  #progress = progressOf([]);
  #running = 0;
  #delegated = false;
  #firstError: PlanOutcome["error"];
  #stop: string | undefined;
  #loopJournal: Journal | undefined;

  constructor(setup: PlanSetup, life: RunLife<PlanEvent, PlanFact>) {
    this.setup = setup;
    this.#life = life;
  }

  get trace(): Trace {
    return this.#life.trace;
  }

  get principal(): Principal | undefined {
    return this.#life.principal;
  }

  get signal(): AbortSignal {
    return this.#life.signal;
  }

  get events(): RunEvents<PlanEvent, PlanFact> {
    return this.#life.events;
  }

  get source(): ToolSource {
    return this.setup.source;
  }

  get executor(): CallExecutor {
    return this.setup.executor;
  }

  get clock(): Clock {
    return this.setup.clock;
  }

  get journaled(): boolean {
    return this.setup.journal !== undefined;
  }

  /** What an earlier life of the run has done, and this one so far in maps. */
  get progress(): Progress {
    return this.#progress;
  }

  /** Whether a call under way has started the plan: then nothing in it is the user's own. */
  get isDelegated(): boolean {
    return this.#delegated;
  }

  write(entries: readonly JournalEntry[]): MaybePromise<void> {
    return this.#life.writer.write(entries);
  }

  /** Where loops within the plan are written down; for as long as the plan runs if it has no journal. */
  loopJournal(): Journal {
    this.#loopJournal ??= this.setup.journal ?? new MemoryJournal();
    return this.#loopJournal;
  }

  /** Options for a loop within the plan, whose events are then part of the plan's. */
  loopOptions(): AgentLoopOptions {
    // A plan that needs an engine was refused if there is none.
    const options = this.setup.loopOptions!;
    return this.events.active ? { ...options, events: (event) => this.events.forward(event) } : options;
  }

  /** Carries out the plan as far as it goes. Gives what its own `output` comes to, if it has one and nothing failed. */
  async carryOut({ plan, input, progress, resumed }: Beginning): Promise<unknown> {
    this.events.emit({ type: "plan.start", input, steps: plan.steps.length, resumed });
    this.#progress = progress;
    if (input !== undefined) this.outputs.set("input", input);
    this.#delegated = isDelegated(this.setup.flow, this.trace);
    if (input !== undefined && !this.#delegated) this.setup.flow?.userSaid(this.trace.runId, asText(input));
    const schedule = new Schedule(plan.steps);
    await new Promise<void>((resolve) => this.#advance(schedule, resolve));
    const isWhole = this.#firstError === undefined && this.#waits.length === 0 && !this.signal.aborted;
    if (plan.output === undefined || !isWhole) return undefined;
    return fill(plan.output, this.outputs);
  }

  #advance(schedule: Schedule, finished: () => void): void {
    while (this.#running < this.setup.concurrency) {
      const next = schedule.next();
      if (next === undefined) break;
      this.#running += 1;
      void this.#begin(next).then(() => {
        this.#running -= 1;
        schedule.over(next);
        this.#advance(schedule, finished);
      });
    }
    if (this.#running === 0 && !schedule.hasReady) finished();
  }

  async #begin({ step }: Scheduled): Promise<void> {
    // A rejection here would be nobody's: it would end the process.
    const report = await this.#reportOn(step).catch(
      (error): StepReport => ({ status: "failed", error: runErrorOf(error), attempts: 0, durationMs: 0 }),
    );
    this.#reports.set(step.name, report);
    if (report.status === "completed") this.outputs.set(step.name, report.output);
    if (report.status === "failed") this.fail(report.error, step.name);
  }

  async #reportOn(step: Step): Promise<StepReport> {
    if (this.signal.aborted) return { status: "stopped", reason: "The plan was aborted." };
    if (this.#stop !== undefined)
      return { status: "stopped", reason: `A guard stopped the plan: ${this.#stop}` };
    const blocked = blockedBy(step, this.#reports);
    if (blocked !== undefined) return blocked;
    if (!this.#progress.outputs.has(step.name)) return runStep(this, step);
    const output = this.#progress.outputs.get(step.name);
    return { status: "completed", output, attempts: 0, durationMs: 0 };
  }

  /** A guard or hook ends the plan: steps that have not begun do not begin. */
  stopped(reason: string, step: string): void {
    this.#stop ??= reason;
    this.fail({ code: "TOOL_BLOCKED", message: `A guard stopped the plan: ${reason}` }, step);
  }

  get isStopped(): boolean {
    return this.#stop !== undefined;
  }

  /** The first error is the plan's. */
  fail(error: StepError, step?: string): void {
    this.#firstError ??= step === undefined ? error : { ...error, step };
  }

  get #waits(): WaitingCall[] {
    return [...this.#reports.values()].flatMap((report) => (report.status === "waiting" ? report.waits : []));
  }

  outcomeOf(output: unknown): PlanOutcome {
    this.outputs.delete("input");
    const { aborted } = this.signal;
    const error = aborted ? this.#life.cancellation() : this.#firstError;
    const waits = aborted ? [] : this.#waits;
    const ended = error === undefined ? "completed" : "failed";
    return {
      runId: this.trace.runId,
      status: aborted ? "aborted" : waits.length > 0 ? "waiting" : ended,
      outputs: Object.fromEntries(this.outputs),
      steps: Object.fromEntries(this.#reports),
      ...defined({ output }),
      ...(waits.length > 0 && { waits }),
      ...defined({ error }),
    };
  }
}
