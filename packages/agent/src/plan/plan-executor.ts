import { ToolrigError } from "@toolrig/core";
import { check } from "@toolrig/core/kit";
import { resumeWhenReady, type WhenReadyOptions } from "../run/when-ready.ts";
import { checkPlan, type PlanProblem } from "./check.ts";
import { remindOfSteps } from "./flow.ts";
import { type PlanExecutorOptions, type PlanRunOptions, planRunOptions } from "./options.ts";
import type { Plan } from "./plan.ts";
import { progressOf } from "./progress.ts";
import { type PlanSetup, setUp } from "./set-up.ts";
import { type RunningPlan, startPlan } from "./start.ts";

/**
 * Carries out plans: what is ready runs, what failed stops only what needs it, what is finished is never lost.
 *
 * @example
 * ```ts
 * import { PlanExecutor } from "@toolrig/agent";
 * import { tool } from "@toolrig/core";
 *
 * const input = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
 * const double = tool({ name: "double", description: "Double it", input, execute: ({ n }) => 2 * n });
 * const steps = [
 *   { name: "twice", kind: "tool", tool: "double", input: { n: { $from: "input" } } },
 *   { name: "again", kind: "tool", tool: "double", input: { n: { $from: "twice" } } },
 * ];
 * const executor = new PlanExecutor({ tools: [double] });
 * const { outputs } = await executor.run({ steps }, { input: 5 }).outcome;
 * console.log(outputs); //=> { twice: 10, again: 20 }
 * ```
 */
export class PlanExecutor {
  readonly #setup: PlanSetup;

  constructor(options: PlanExecutorOptions = {}) {
    this.#setup = setUp(options);
  }

  /** Everything that is wrong with a plan; empty for one that can be carried out. */
  check(plan: unknown): readonly PlanProblem[] {
    const checked = this.#check(plan);
    return "problems" in checked ? checked.problems : [];
  }

  /** Starts a plan. Throws `ORCHESTRATION_STEP_MISMATCH`, with all problems, for one that cannot be carried out. */
  run(plan: unknown, options: PlanRunOptions = {}): RunningPlan {
    planRunOptions.check(options);
    const checked = this.#require(plan);
    const { input } = options;
    return startPlan(this.#setup, options, async (life) => {
      await life.enter({ kind: "plan", input: { plan: checked, input: input ?? null } });
      return { plan: checked, input, progress: progressOf([]), resumed: false };
    });
  }

  /** Continues a plan where its journal ends: finished steps are not repeated, calls begun keep their ids. */
  resume(runId: string, options: Omit<PlanRunOptions, "runId" | "input"> = {}): RunningPlan {
    planRunOptions.check(options);
    const { journal } = this.#setup;
    if (journal === undefined) throw check.invalid("journal", "given to resume a plan", undefined);
    return startPlan(this.#setup, { ...options, runId }, async (life) => {
      const header = await journal.header(runId);
      if (header?.kind !== "plan") {
        throw new ToolrigError("STORE_FAILED", `There is no plan ${runId} in the journal.`);
      }
      const { plan, input } = header.input as { plan: unknown; input: unknown };
      const entries = await journal.entries(runId);
      await life.takeUp(header, entries);
      if (entries.at(-1)?.type === "waiting") await life.writer.write([{ type: "resumed" }]);
      const progress = progressOf(entries);
      if (this.#setup.flow !== undefined) remindOfSteps(this.#setup.flow, runId, entries);
      return { plan: this.#require(plan), input: input ?? undefined, progress, resumed: true };
    });
  }

  /**
   * Resumes suspended plans of the journal by themselves, as soon as something that they wait for has come, here or in another
   * process. Of many processes that do so, one resumes a plan. Returns how to stop.
   */
  resumeWhenReady(options?: WhenReadyOptions<RunningPlan>): () => void {
    const { journal, executor, clock } = this.#setup;
    const resume = (runId: string) => this.resume(runId);
    return resumeWhenReady<RunningPlan>(
      { journal, executor, clock, kind: "plan", after: "some", resume },
      options,
    );
  }

  #check(plan: unknown): ReturnType<typeof checkPlan> {
    const checked = checkPlan(plan, this.#setup.source);
    if ("problems" in checked || this.#setup.loopOptions !== undefined) return checked;
    const needy = checked.plan.steps.filter((step) => {
      const { kind } = step.kind === "map" ? step.do : step;
      return kind === "infer" || kind === "loop";
    });
    if (needy.length === 0) return checked;
    return {
      problems: needy.map(({ name }) => ({ step: name, message: "needs a model, but there is no engine" })),
    };
  }

  #require(plan: unknown): Plan {
    const checked = this.#check(plan);
    if (!("problems" in checked)) return checked.plan;
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
