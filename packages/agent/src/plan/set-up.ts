import type { CallExecutor, InformationFlow, Listener, ToolSource, Tracer } from "@toolrig/core";
import {
  type Clock,
  check,
  compileAllowlist,
  defined,
  type Journal,
  sourceOf,
  systemClock,
} from "@toolrig/core/kit";
import { checkLoopOptions, LOOP_SETTINGS } from "../loop/check-options.ts";
import type { AgentLoopOptions } from "../loop/options.ts";
import { CallEvents } from "../run/call-events.ts";
import { flowOf } from "../run/flow.ts";
import { listenersOf } from "../run/run-events.ts";
import { executorFor, isExecutor } from "../run/toolset.ts";
import type { PlanEvent } from "./events.ts";
import type { PlanExecutorOptions } from "./options.ts";

/** What the runs of one executor of plans share. */
export interface PlanSetup {
  readonly source: ToolSource;
  readonly executor: CallExecutor;
  readonly calls: CallEvents;
  readonly concurrency: number;
  readonly onWaiting: NonNullable<AgentLoopOptions["onWaiting"]>;
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

const OF_LOOPS_ONLY = ["selection", "trimResults"];
const SETTINGS = [...LOOP_SETTINGS.filter((each) => !OF_LOOPS_ONLY.includes(each)), "concurrency"];

/** Checks the options of an executor of plans. Throws `OPTION_INVALID`, naming the option. */
export function setUp(options: PlanExecutorOptions): PlanSetup {
  check.known("A plan executor", options, SETTINGS);
  // Those of loops too, before a step has run: a loop within a plan must not be the first to find them wrong.
  checkLoopOptions(options);
  const { tools = [], executor = {}, hooks = {}, events, concurrency = 16, engine, ...rest } = options;
  const { clock, mode, journal, tracer } = rest;
  const source = sourceOf(tools);
  const settings = {
    ...defined({ clock, mode, tracer }),
  };
  const flow = flowOf(options);
  const runner = isExecutor(executor) ? executor : executorFor(source, { ...settings, ...executor }, hooks);
  const { beforeCall: _, afterCall: __, judgesEdits: ___, ...loopHooks } = hooks;
  return {
    source,
    executor: runner,
    calls: new CallEvents(runner.events),
    onWaiting: rest.onWaiting ?? "hold",
    concurrency: check.count("concurrency", concurrency),
    journal,
    listeners: listenersOf(events),
    clock: clock ?? systemClock,
    tracer,
    answerMs: check.timeout("answerWithin", rest.answerWithin ?? "60s"),
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
