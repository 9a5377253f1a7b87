import { defined } from "@toolrig/core/kit";
import { type Course, RunLife } from "../run/life.ts";
import type { PlanEvent, PlanFact } from "./events.ts";
import type { PlanRunOptions } from "./options.ts";
import type { PlanOutcome } from "./outcome.ts";
import { type Beginning, PlanRun } from "./plan-run.ts";
import type { PlanSetup } from "./set-up.ts";

type PlanLife = RunLife<PlanEvent, PlanFact>;

/** A plan under way. */
export interface RunningPlan extends AsyncIterable<PlanEvent> {
  readonly runId: string;
  /** Resolves when the plan is over. Never rejects. */
  readonly outcome: Promise<PlanOutcome>;
  /** Steps under way are cancelled, others do not begin. */
  abort(reason?: string): void;
}

/** Starts a plan with what `begin` gives. What that throws fails the plan. */
export function startPlan(
  setup: PlanSetup,
  options: PlanRunOptions,
  begin: (life: PlanLife) => Promise<Beginning>,
): RunningPlan {
  const life: PlanLife = new RunLife(setup, setup.calls, options);
  const run = new PlanRun(setup, life);
  const outcome = life.begin(courseOf(run, () => begin(life)));
  return {
    runId: life.runId,
    outcome,
    abort: (reason = "The plan was aborted.") => life.abort(reason),
    [Symbol.asyncIterator]: () => life.events.open(),
  };
}

function courseOf(run: PlanRun, begin: () => Promise<Beginning>): Course<unknown, PlanOutcome, PlanFact> {
  return {
    kind: "plan",
    carryOut: async () => run.carryOut(await begin()),
    failed: (error) => run.fail(error),
    aborted: () => undefined,
    close(output) {
      const outcome = run.outcomeOf(output);
      const { status, error, waits } = outcome;
      const entry = {
        status,
        ...defined({ error, waits }),
      };
      return { outcome, entry, fact: { type: "plan.end", outcome }, suspended: status === "waiting" };
    },
    forget() {
      const { setup, trace } = run;
      setup.flow?.forget(trace.runId);
      return setup.executor.forget?.(trace.runId);
    },
  };
}
