import type { DataLabels } from "@toolrig/core";
import type { Message } from "../model/message.ts";
import type { Spent } from "../run/allowance.ts";
import { type Course, RunLife } from "../run/life.ts";
import type { LoopEvent, LoopFact } from "../run/loop-event.ts";
import type { Ending, RunOutcome } from "../run/outcome.ts";
import type { Setup } from "../run/setup.ts";
import { type Nesting, RunState } from "../run/state.ts";
import type { SayOptions, UserInput } from "../run/steering.ts";
import { enterRun, leaveRun } from "../run/under-way.ts";
import type { RunOptions } from "./options.ts";

/** A run under way. Reading its events is optional: unread they cost nothing, and they never hold up the run. */
export interface Run<Outcome = RunOutcome> extends AsyncIterable<LoopEvent> {
  readonly runId: string;
  /** Resolves when the run is over. Never rejects. */
  readonly outcome: Promise<Outcome>;
  /** The transcript so far, growing. */
  readonly messages: readonly Message[];
  /** Delivered as soon as the calls under way are answered. False when the run is over. */
  steer(input: UserInput, options?: SayOptions): boolean;
  /** Delivered when the model has nothing more to do, in place of the end. False when the run is over. */
  followUp(input: UserInput, options?: SayOptions): boolean;
  /** Ends the run. Calls under way are cancelled and answered. */
  abort(reason?: string): void;
}

type LoopLife = RunLife<LoopEvent, LoopFact>;
type LoopCourse = Course<Ending, RunOutcome, LoopFact>;

/** What a call that has started a run makes its result of. */
export interface RunReport {
  outcome: RunOutcome;
  spent: Readonly<Spent>;
  labels: DataLabels | undefined;
}

/** What a run is about. */
export interface Task {
  input: unknown;
  resumed: boolean;
  /** From the start to the end. What it throws fails the run. */
  carryOut(state: RunState, life: LoopLife): Promise<Ending>;
}

/** Starts a run. What is given back is all that its owner holds of it. */
export class LoopRun implements Run {
  readonly outcome: Promise<RunOutcome>;
  readonly #life: LoopLife;
  readonly #state: RunState;
  #read: DataLabels | undefined;

  constructor(setup: Setup, options: RunOptions, task: Task, nesting?: Nesting) {
    this.#life = new RunLife(setup, setup.toolset.calls, options);
    this.#state = new RunState(setup, this.#life, nesting);
    const course = courseOf(task, this.#state, this.#life);
    this.outcome = this.#life.begin(nesting === undefined ? course : this.#noting(course));
    enterRun({ state: this.#state, outcome: this.outcome });
  }

  /** For the call that has started it: what it took of the budgets, with the runs within it, and what it has read. */
  async report(): Promise<RunReport> {
    const outcome = await this.outcome;
    return { outcome, spent: this.#state.allowance.spent, labels: this.#read };
  }

  /** What it has read is forgotten with the run. */
  #noting(course: LoopCourse): LoopCourse {
    const close: LoopCourse["close"] = (ending) => {
      this.#read = this.#state.labels();
      return course.close(ending);
    };
    return { ...course, close };
  }

  get runId(): string {
    return this.#life.runId;
  }

  get messages(): readonly Message[] {
    return this.#state.messages;
  }

  [Symbol.asyncIterator](): AsyncIterator<LoopEvent, undefined> {
    return this.#life.events.open();
  }

  steer(input: UserInput, options?: SayOptions): boolean {
    if (this.#life.isOver) return false;
    this.#state.steering.add(input, options);
    this.#state.out.wake();
    if (options?.untrusted === undefined && options?.keepApprovals !== true) this.#supersedeApprovals();
    return true;
  }

  followUp(input: UserInput, options?: SayOptions): boolean {
    if (this.#life.isOver) return false;
    this.#state.followUps.add(input, options);
    this.#state.out.wake();
    return true;
  }

  abort(reason = "The run was aborted."): void {
    this.#life.abort(reason);
  }

  /** A store that cannot be written to leaves the questions open and the calls waiting: the safe side. */
  #supersedeApprovals(): void {
    this.#state.setup.approvals?.supersede(this.runId).catch(() => {});
  }
}

function courseOf(task: Task, state: RunState, life: LoopLife): LoopCourse {
  return {
    kind: "loop",
    carryOut() {
      const { input, resumed } = task;
      life.events.emit({ type: "run.start", input, resumed });
      return task.carryOut(state, life);
    },
    failed: (error) => ({ status: "failed", error }),
    aborted: () => state.aborted(),
    close(ending) {
      const outcome = state.outcomeOf(ending);
      const { status } = ending;
      if (status !== "waiting" && status !== "failed") state.out.cancel("The run is over.");
      return {
        outcome,
        entry: { ...ending, text: outcome.text },
        fact: { type: "run.end", outcome },
        suspended: status === "waiting",
      };
    },
    forget() {
      const { setup, settings, runId } = state;
      leaveRun(state);
      setup.selection?.forget(runId);
      setup.flow?.forget(runId);
      return settings.executor.forget?.(runId);
    },
  };
}
