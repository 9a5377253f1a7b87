import {
  type CallExecutor,
  Executor,
  type Hooks,
  type Listener,
  ToolrigError,
  type ToolSource,
} from "@toolrig/core";
import { type Clock, check, compileAllowlist, type Journal, sourceOf, systemClock } from "@toolrig/core/kit";
import type { AgentLoopOptions } from "../loop/options.ts";
import { CallEvents } from "../run/call-events.ts";
import { type CheckedPlan, checkPlan, type PlanProblem } from "./check.ts";
import type { PlanEvent } from "./events.ts";
import type { PlanExecutorOptions, PlanRunOptions } from "./options.ts";
import type { PlanOutcome } from "./outcome.ts";
import { PlanRun } from "./plan-run.ts";
import { progressOf } from "./progress.ts";

/** What the runs of one executor of plans share. */
export interface PlanSetup {
  readonly source: ToolSource;
  readonly executor: CallExecutor;
  readonly calls: CallEvents;
  readonly concurrency: number;
  readonly journal: Journal | undefined;
  readonly listeners: readonly Listener<PlanEvent>[];
  readonly clock: Clock;
  loopOptions(): AgentLoopOptions;
  /** The tools a loop within a plan may be offered; undefined for all. */
  allowedNames(): readonly string[] | undefined;
}

/** A plan under way. */
export interface RunningPlan extends AsyncIterable<PlanEvent> {
  readonly runId: string;
  /** Resolves when the plan is over. Never rejects. */
  readonly outcome: Promise<PlanOutcome>;
  abort(reason?: string): void;
}

/** Carries out plans: what is ready runs, what failed stops only what needs it, what is finished is never lost. */
export class PlanExecutor {
  readonly #setup: PlanSetup;
  readonly #hasEngine: boolean;

  constructor(options: PlanExecutorOptions = {}) {
    this.#setup = setUp(options);
    this.#hasEngine = options.engine !== undefined;
  }

  /** Everything that is wrong with a plan; empty for one that can be carried out. */
  check(plan: unknown): readonly PlanProblem[] {
    const checked = this.#check(plan);
    return "problems" in checked ? checked.problems : [];
  }

  /** Starts a plan. Throws `ORCHESTRATION_STEP_MISMATCH`, with all problems, for one that cannot be carried out. */
  run(plan: unknown, options: PlanRunOptions = {}): RunningPlan {
    const checked = this.#require(plan);
    const { input } = options;
    const { journal, clock } = this.#setup;
    return new PlanRun(this.#setup, options, async ({ trace: { runId, requestId } }) => {
      await journal?.begin({
        runId,
        requestId,
        kind: "plan",
        startedAt: clock.now(),
        input: { plan: checked.plan, input: input ?? null },
      });
      return { checked, input, progress: progressOf([]), resumed: false };
    });
  }

  /** Continues a plan where its journal ends: finished steps are not repeated, calls begun keep their ids. */
  resume(runId: string, options: Omit<PlanRunOptions, "runId" | "input"> = {}): RunningPlan {
    const { journal } = this.#setup;
    if (journal === undefined)
      throw new ToolrigError("OPTION_INVALID", "A journal is needed to resume a plan.");
    return new PlanRun(this.#setup, { ...options, runId }, async (run) => {
      const header = await journal.header(runId);
      if (header?.kind !== "plan") {
        throw new ToolrigError("STORE_FAILED", `There is no plan ${runId} in the journal.`);
      }
      const { plan, input } = header.input as { plan: unknown; input: unknown };
      const entries = await journal.entries(runId);
      run.writer.continueAfter(entries.length);
      const progress = progressOf(entries);
      return { checked: this.#require(plan), input: input ?? undefined, progress, resumed: true };
    });
  }

  #check(plan: unknown): ReturnType<typeof checkPlan> {
    const checked = checkPlan(plan, this.#setup.source);
    if ("problems" in checked || this.#hasEngine) return checked;
    const needy = checked.plan.steps.filter((step) => {
      const { kind } = step.kind === "map" ? step.do : step;
      return kind === "infer" || kind === "loop";
    });
    if (needy.length === 0) return checked;
    return {
      problems: needy.map(({ name }) => ({ step: name, message: "needs a model, but there is no engine" })),
    };
  }

  #require(plan: unknown): CheckedPlan {
    const checked = this.#check(plan);
    if (!("problems" in checked)) return checked;
    const lines = checked.problems.map(({ step, message }) =>
      step === undefined ? message : `${step}: ${message}`,
    );
    throw new ToolrigError(
      "ORCHESTRATION_STEP_MISMATCH",
      `The plan cannot be carried out. ${lines.join("; ")}`,
      {
        details: { problems: checked.problems },
      },
    );
  }
}

function setUp(options: PlanExecutorOptions): PlanSetup {
  const { tools = [], executor = {}, hooks = {}, events, concurrency = 16, engine, ...rest } = options;
  check.count("concurrency", concurrency);
  const source = sourceOf(tools);
  const { beforeCall, afterCall, ...loopHooks } = hooks;
  const runner = isExecutor(executor) ? executor : executorFor(options, source, { beforeCall, afterCall });
  return {
    source,
    executor: runner,
    calls: new CallEvents(runner.events),
    concurrency,
    journal: options.journal,
    listeners: listenersOf(events),
    clock: options.clock ?? systemClock,
    loopOptions: () => ({ ...rest, hooks: loopHooks, engine: engine! }),
    allowedNames: () => (isExecutor(executor) ? undefined : namesAllowedBy(executor.allow, source)),
  };
}

function namesAllowedBy(allow: readonly string[] | undefined, source: ToolSource): string[] | undefined {
  if (allow === undefined) return undefined;
  const refusal = compileAllowlist(allow);
  return source.tools().flatMap((tool) => (refusal(tool, source) === undefined ? [tool.name] : []));
}

function executorFor(
  { executor, clock, mode }: PlanExecutorOptions,
  tools: ToolSource,
  { beforeCall, afterCall }: { [Hook in keyof Hooks]: Hooks[Hook] | undefined },
): Executor {
  const hooks: Hooks = {
    ...(beforeCall !== undefined && { beforeCall }),
    ...(afterCall !== undefined && { afterCall }),
  };
  return new Executor({
    ...(clock !== undefined && { clock }),
    ...(mode !== undefined && { mode }),
    ...executor,
    ...(Object.keys(hooks).length > 0 && { hooks }),
    tools,
  });
}

function isExecutor(value: object): value is CallExecutor {
  return typeof (value as Partial<CallExecutor>).batch === "function";
}

function listenersOf(events: PlanExecutorOptions["events"]): Listener<PlanEvent>[] {
  if (events === undefined) return [];
  return [typeof events === "function" ? events : (event) => events.append(event)];
}
