import {
  type InferInput,
  result,
  type Tool,
  type ToolContext,
  type ToolSpec,
  tool,
  validation,
} from "@toolrig/core";
import {
  declareOptions,
  defined,
  type MarkedOutcome,
  type OptionTable,
  omitOptions,
  option,
  toolOptions,
} from "@toolrig/core/kit";
import { depthOf, LOOP_TOOL, nestedRunId } from "../calls/nested-run.ts";
import type { UserMessage } from "../model/message.ts";
import type { RunState } from "../run/state.ts";
import { runUnderWay } from "../run/under-way.ts";
import type { RunOptions } from "./options.ts";
import { resumeRun } from "./resume.ts";
import type { LoopRun } from "./run.ts";
import { type LoopCore, startRun } from "./start.ts";
import { toolAnswer } from "./tool-answer.ts";

/**
 * A tool whose code is a run of a loop. What the run may do is the maker's to declare: undeclared `safety` counts as external.
 * The ledger keeps its results unless `ledger` is false, so that a run that is resumed does not ask the model again.
 */
export interface LoopToolOptions<Schema>
  extends Omit<ToolSpec<Schema, string>, "execute" | "output" | "reconcile" | "type"> {
  /** The task of the run. Default: the one text among the arguments, or all of them as JSON. */
  prompt?(args: InferInput<Schema>): string;
  /** How many runs it may be within: 1 for calls of outermost runs only. Default 3. */
  maxDepth?: number;
}

const loopToolOptions = declareOptions("a loop's tool", {
  ...omitOptions(toolOptions, "execute", "output", "reconcile", "type"),
  prompt: option.callback(),
  maxDepth: option.count(1, { default: 3 }),
} satisfies OptionTable<LoopToolOptions<unknown>>);

/** Of one attempt: a run takes longer than other tools. */
const TIMEOUT_MS = 3_600_000;
/** For a run that ends itself when its time is up, to say so. */
const GRACE_MS = 10_000;
/** The longest that a timer can hold. */
const MAX_TIMEOUT_MS = 2_147_483_647;

/**
 * Makes a tool of a loop. `keep` is told of each run that it starts. When a call of that run waits, its own call does: the run
 * is suspended with the one that made the call, if that is, and held otherwise.
 */
export function loopTool<const Schema>(
  own: LoopCore,
  keep: (run: LoopRun) => LoopRun,
  options: LoopToolOptions<Schema>,
): Tool<InferInput<Schema>, string> {
  loopToolOptions.check(options);
  const core = own.setup.onWaiting === "return" ? waitingBy(own, "hold") : own;
  const leaving = waitingBy(own, "return");
  const { prompt = taskOf, maxDepth = loopToolOptions.defaults.maxDepth, ...spec } = options;
  const { journal, ledgered, timeBudgetMs = 0 } = core.setup;
  const timeout = Math.min(Math.max(TIMEOUT_MS, timeBudgetMs + GRACE_MS), MAX_TIMEOUT_MS);
  const made: ToolSpec<Schema, string> = {
    timeout,
    ledger: true,
    ...spec,
    type: LOOP_TOOL,
    // Begun again, a run goes on where its journal ends, and its ledger answers what it has done: nothing is done twice.
    ...(journal !== undefined && ledgered && { reconcile: () => ({ outcome: "never-ran" }) }),
    async execute(args, context) {
      if (depthOf(context.executionId) > maxDepth) return tooDeep(spec.name, maxDepth);
      const task = prompt(args);
      if (typeof task !== "string" || task.trim() === "")
        return validation(`${spec.name} was given no task.`);
      const run = keep(await begin(mayLeave(own, context) ? leaving : core, task, context));
      return toolAnswer(await run.report());
    },
  };
  return tool(made);
}

function waitingBy(core: LoopCore, onWaiting: "hold" | "return"): LoopCore {
  return { ...core, setup: { ...core.setup, onWaiting } };
}

/** Whether the run can be left while it waits: the one that made the call is, and knows when that has ended. */
function mayLeave({ setup }: LoopCore, { held, runId }: ToolContext): boolean {
  const caller = runUnderWay(runId)?.state;
  if (held || caller?.setup.onWaiting !== "return" || setup.journal === undefined || !setup.ledgered)
    return false;
  const own = setup.toolset.executor.waits?.store;
  return own !== undefined && own === caller.settings.executor.waits?.store;
}

function taskOf(args: unknown): string {
  const values = typeof args === "object" && args !== null ? Object.values(args) : [args];
  const [only] = values;
  return values.length === 1 && typeof only === "string" ? only : JSON.stringify(args, null, 2);
}

/** Starts the run of a call, or takes up the one that the same execution has started before. */
async function begin(core: LoopCore, task: string, context: ToolContext): Promise<LoopRun> {
  const { executionId: parentId, signal, requestId, stepName, principal } = context;
  const runId = nestedRunId(parentId);
  // One that was given up a moment ago may still be writing down its end.
  await runUnderWay(runId)?.outcome;
  const caller = runUnderWay(context.runId)?.state;
  const continued = (await core.setup.journal?.header(runId)) !== undefined;
  passDown(core, runId, context, caller);
  const options: RunOptions = {
    parentId,
    signal,
    ...defined({ requestId, stepName, principal }),
  };
  const onTurn = (turn: number) => context.update({ details: { runId, turn } });
  const nesting = { outer: caller?.allowance, continued, onTurn };
  if (continued) return resumeRun(core, runId, options, nesting);
  // A model wrote the task, and nothing in it is the user's own word.
  const message: UserMessage = { role: "user", content: task, said: "" };
  return startRun(core, message, { ...options, runId }, nesting);
}

/** What the caller has read may be in the task: the run is as careful. A caller that is not known here may have read anything. */
function passDown(
  { setup: { flow } }: LoopCore,
  runId: string,
  context: ToolContext,
  caller: RunState | undefined,
): void {
  if (flow === undefined || flow.startedBy(runId, context.executionId)) return;
  if (caller === undefined) {
    if (context.runId !== undefined) flow.outsiderSaid(runId, "the task it was given");
    return;
  }
  const labels = caller.labels();
  if (labels !== undefined) flow.recall(runId, { name: "the task", labels, isError: true, content: [] });
}

function tooDeep(name: string, maxDepth: number): MarkedOutcome {
  const message = `${name} starts runs up to ${maxDepth} deep, and this one would be deeper; it was not started.`;
  return result({ failure: { code: "TOOL_BUDGET_EXCEEDED", message } });
}
