import { type CallExecutor, MemoryJournal, type Principal, type ToolSource } from "@toolrig/core";
import {
  type Clock,
  type Journal,
  type JournalEntry,
  type MaybePromise,
  messageOf,
  newId,
} from "@toolrig/core/kit";
import type { AgentLoopOptions } from "../loop/options.ts";
import type { CallEvents } from "../run/call-events.ts";
import { RunEvents } from "../run/run-events.ts";
import { RunWriter } from "../run/run-writer.ts";
import type { Trace } from "../run/trace.ts";
import type { CheckedPlan } from "./check.ts";
import { dependantsOf } from "./check.ts";
import type { PlanEvent, PlanFact } from "./events.ts";
import type { PlanRunOptions } from "./options.ts";
import type { PlanOutcome, StepError, StepReport } from "./outcome.ts";
import type { Step } from "./plan.ts";
import type { Progress } from "./progress.ts";
import { fill, referencesOf } from "./reference.ts";
import { runStep } from "./run-step.ts";
import type { PlanSetup } from "./set-up.ts";

/** What a plan run begins with: known at once, or after the journal was read. */
export interface Beginning {
  checked: CheckedPlan;
  input: unknown;
  progress: Progress;
  resumed: boolean;
}

/** The state of one plan under way: what is done, what waits for what, and who is told. */
export class PlanRun {
  readonly setup: PlanSetup;
  readonly trace: Trace;
  readonly principal: Principal | undefined;
  readonly writer: RunWriter;
  readonly events: RunEvents<PlanEvent, PlanFact>;
  readonly outcome: Promise<PlanOutcome>;
  readonly outputs = new Map<string, unknown>();
  readonly reports = new Map<string, StepReport>();
  progress: Progress = { outputs: new Map(), executions: new Map() };
  readonly #controller = new AbortController();
  readonly #waiting = new Map<string, number>();
  readonly #ready: Step[] = [];
  #steps = new Map<string, Step>();
  #dependants = new Map<string, string[]>();
  #running = 0;
  #finished: (() => void) | undefined;
  #firstError: PlanOutcome["error"];
  #scratch: Journal | undefined;

  constructor(setup: PlanSetup, options: PlanRunOptions, begin: (run: PlanRun) => Promise<Beginning>) {
    this.setup = setup;
    this.principal = options.principal;
    const { runId = newId("run"), requestId = newId("req"), parentId, signal } = options;
    this.writer = new RunWriter(setup.journal, runId);
    this.trace = { runId, requestId, ...(parentId !== undefined && { parentId }) };
    this.events = new RunEvents(this.trace, setup.clock, setup.listeners, () =>
      this.#watchCalls(setup.calls),
    );
    const onAbort = () => this.#controller.abort(signal!.reason);
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    this.outcome = Promise.resolve()
      .then(() => this.#live(begin))
      .finally(() => signal?.removeEventListener("abort", onAbort));
  }

  get runId(): string {
    return this.trace.runId;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
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

  [Symbol.asyncIterator](): AsyncIterator<PlanEvent, undefined> {
    return this.events.open();
  }

  /** Steps under way are cancelled, others do not begin. */
  abort(reason = "The plan was aborted."): void {
    this.#controller.abort(new DOMException(reason, "AbortError"));
  }

  write(entries: readonly JournalEntry[]): MaybePromise<void> {
    return this.writer.write(entries);
  }

  /** Where loops within the plan are written down; for as long as the plan runs if it has no journal. */
  loopJournal(): Journal {
    this.#scratch ??= this.setup.journal ?? new MemoryJournal();
    return this.#scratch;
  }

  /** Options for a loop within the plan, whose events are then part of the plan's. */
  loopOptions(): AgentLoopOptions {
    // A plan that needs an engine was refused if there is none.
    const options = this.setup.loopOptions!;
    return this.events.active ? { ...options, events: (event) => this.events.forward(event) } : options;
  }

  async #live(begin: (run: PlanRun) => Promise<Beginning>): Promise<PlanOutcome> {
    let output: unknown;
    try {
      const { checked, input, progress, resumed } = await begin(this);
      this.events.emit({ type: "plan.start", input, steps: checked.plan.steps.length, resumed });
      this.#takeOver(checked, input, progress);
      await this.#untilOver();
      if (checked.plan.output !== undefined && this.#firstError === undefined && !this.signal.aborted) {
        output = fill(checked.plan.output, this.outputs);
      }
    } catch (error) {
      const code = (error as { code?: StepError["code"] }).code ?? "ORCHESTRATION_FAILED";
      this.#firstError ??= { code, message: messageOf(error) };
    }
    return this.#end(output);
  }

  #takeOver({ plan, dependencies }: CheckedPlan, input: unknown, progress: Progress): void {
    this.#steps = new Map(plan.steps.map((step) => [step.name, step]));
    this.#dependants = dependantsOf(dependencies);
    this.progress = progress;
    if (input !== undefined) this.outputs.set("input", input);
    for (const step of plan.steps) this.#waiting.set(step.name, dependencies.get(step.name)!.size);
    for (const step of plan.steps) if (this.#waiting.get(step.name) === 0) this.#ready.push(step);
  }

  #untilOver(): Promise<void> {
    return new Promise((resolve) => {
      this.#finished = resolve;
      this.#advance();
    });
  }

  #advance(): void {
    while (this.#running < this.setup.concurrency) {
      const step = this.#ready.shift();
      if (step === undefined) break;
      this.#running += 1;
      void this.#begin(step).then((report) => {
        this.#running -= 1;
        this.#over(step, report);
        this.#advance();
      });
    }
    if (this.#running === 0 && this.#ready.length === 0) this.#finished?.();
  }

  async #begin(step: Step): Promise<StepReport> {
    if (this.signal.aborted) return { status: "stopped", reason: "The plan was aborted." };
    const blocked = this.#blocked(step);
    if (blocked !== undefined) return blocked;
    if (this.progress.outputs.has(step.name)) {
      return {
        status: "completed",
        output: this.progress.outputs.get(step.name),
        attempts: 0,
        durationMs: 0,
      };
    }
    return runStep(this, step);
  }

  /** A step whose sources failed cannot run; one whose sources were skipped is skipped. */
  #blocked(step: Step): StepReport | undefined {
    for (const name of step.after ?? []) {
      const { status } = this.reports.get(name)!;
      if (status === "failed" || status === "stopped")
        return { status: "stopped", reason: `It waits for ${name}, which ${status}.` };
    }
    for (const { $from } of referencesOf(step)) {
      const status = this.reports.get($from)?.status;
      if (status === "failed" || status === "stopped")
        return { status: "stopped", reason: `It needs ${$from}, which ${status}.` };
      if (status === "skipped") return { status: "skipped", reason: `It needs ${$from}, which was skipped.` };
    }
    return undefined;
  }

  #over(step: Step, report: StepReport): void {
    this.reports.set(step.name, report);
    if (report.status === "completed") this.outputs.set(step.name, report.output);
    if (report.status === "failed") this.#firstError ??= { ...report.error, step: step.name };
    for (const name of this.#dependants.get(step.name) ?? []) {
      const left = this.#waiting.get(name)! - 1;
      this.#waiting.set(name, left);
      if (left === 0) this.#ready.push(this.#steps.get(name)!);
    }
  }

  async #end(output: unknown): Promise<PlanOutcome> {
    this.outputs.delete("input");
    const error = this.signal.aborted
      ? { code: "CANCELLED_SIGNAL" as const, message: messageOf(this.signal.reason) }
      : this.#firstError;
    const outcome: PlanOutcome = {
      runId: this.runId,
      status: this.signal.aborted ? "aborted" : error === undefined ? "completed" : "failed",
      outputs: Object.fromEntries(this.outputs),
      steps: Object.fromEntries(this.reports),
    };
    if (output !== undefined) outcome.output = output;
    if (error !== undefined) outcome.error = error;
    try {
      const { status } = outcome;
      await this.write([{ type: "end", outcome: error === undefined ? { status } : { status, error } }]);
    } catch {
      // The outcome stands; a plan whose end is not written down can be resumed, and then ends again.
    }
    this.events.end({ type: "plan.end", outcome });
    this.setup.calls.unsubscribe(this.runId);
    return outcome;
  }

  #watchCalls(calls: CallEvents): void {
    calls.subscribe(this.runId, (event) => this.events.forward(event));
  }
}
