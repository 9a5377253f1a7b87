import type { CallExecutor, InformationFlow, Listener, OnWaiting, ToolSource, Tracer } from "@toolrig/core";
import {
  type Clock,
  compileAllowlist,
  defined,
  type Journal,
  onWaitingOf,
  sourceOf,
  systemClock,
} from "@toolrig/core/kit";
import { limitsOf } from "../loop/limits-of.ts";
import type { AgentLoopOptions } from "../loop/options.ts";
import { CallEvents } from "../run/call-events.ts";
import { flowOf } from "../run/flow.ts";
import { listenersOf } from "../run/run-events.ts";
import { executorFor, isExecutor } from "../run/toolset.ts";
import type { PlanEvent } from "./events.ts";
import { type PlanExecutorOptions, planExecutorOptions } from "./options.ts";

/** What the runs of one executor of plans share. */
export interface PlanSetup {
  readonly source: ToolSource;
  readonly executor: CallExecutor;
  readonly calls: CallEvents;
  readonly concurrency: number;
  readonly onWaiting: OnWaiting;
  readonly journal: Journal | undefined;
  readonly listeners: readonly Listener<PlanEvent>[];
  readonly clock: Clock;
  readonly tracer: Tracer | undefined;
  readonly answerMs: number;
  readonly flow: InformationFlow | undefined;
  /** For loops within plans; undefined when there is no engine for them. */
  readonly loopOptions: AgentLoopOptions | undefined;
  /** The tools a loop within a plan may be offered; undefined for all. */
  allowedNames(): readonly string[] | undefined;
}

/** Checks the options of an executor of plans. Throws `OPTION_INVALID`, naming the option. */
export function setUp(options: PlanExecutorOptions): PlanSetup {
  const { concurrency } = planExecutorOptions.withDefaults(options);
  // What does not go together is found before a step has run, not by a loop within a plan.
  const { answerMs } = limitsOf(options);
  const { tools = [], executor = {}, hooks = {}, events, concurrency: _, engine, ...rest } = options;
  const { clock, mode, journal, tracer } = rest;
  const source = sourceOf(tools);
  const settings = {
    ...defined({ clock, mode, tracer }),
  };
  const flow = flowOf(options);
  const runner = isExecutor(executor) ? executor : executorFor(source, { ...settings, ...executor }, hooks);
  const { beforeCall: __, afterCall: ___, judgesEdits: ____, ...loopHooks } = hooks;
  return {
    source,
    executor: runner,
    calls: new CallEvents(runner.events),
    onWaiting: onWaitingOf(rest.onWaiting),
    concurrency,
    journal,
    listeners: listenersOf(events),
    clock: clock ?? systemClock,
    tracer,
    answerMs,
    flow,
    loopOptions:
      engine === undefined ? undefined : { ...rest, ...defined({ flow }), hooks: loopHooks, engine },
    allowedNames: () => (isExecutor(executor) ? undefined : namesAllowedBy(executor.allow, source)),
  };
}

function namesAllowedBy(allow: readonly string[] | undefined, source: ToolSource): string[] | undefined {
  if (allow === undefined) return undefined;
  const refusal = compileAllowlist(allow);
  return source.tools().flatMap((tool) => (refusal(tool, source) === undefined ? [tool.name] : []));
}
