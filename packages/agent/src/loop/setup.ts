import {
  type ApprovalQueue,
  type CallExecutor,
  type Duration,
  Executor,
  type ExecutorOptions,
  type Hooks,
  type InformationFlow,
  type Listener,
  type ToolList,
  type ToolResult,
  type ToolSource,
} from "@toolrig/core";
import {
  type Clock,
  check,
  compileAllowlist,
  type Journal,
  parseDuration,
  type RepeatLimits,
  repeatLimits,
  sourceOf,
  systemClock,
} from "@toolrig/core/kit";
import type { Engine } from "../model/engine.ts";
import type { ModelRetry } from "../model/infer.ts";
import type { ToolCallPart } from "../model/message.ts";
import { CallEvents } from "../run/call-events.ts";
import type { LoopHooks } from "../run/hooks.ts";
import type { LoopEvent } from "../run/loop-event.ts";
import type { Delivery } from "../run/steering.ts";
import { Definitions } from "../select/definitions.ts";
import { FIND_TOOLS } from "../select/find-tools.ts";
import { Selection } from "../select/offering.ts";
import type { AgentLoopOptions } from "./options.ts";

/** Tools together with who runs them. */
export interface Bench {
  readonly definitions: Definitions;
  readonly executor: CallExecutor;
  readonly calls: CallEvents;
}

/** What loops over the same tools can share: one executor, and so one set of limits and one ledger. */
export interface SharedTools {
  readonly bench: Bench;
  /** For other tools than the loop's own. Throws `OPTION_INVALID` when the executor was given and is not ours. */
  benchFor(tools: ToolSource | ToolList): Bench;
  readonly selection: Selection | undefined;
}

/** The checked options of a loop, shared by its runs. */
export interface Setup extends SharedTools {
  readonly engine: Engine;
  readonly system: string | undefined;
  readonly maxToolIterations: number;
  readonly mode: "parallel" | "sequential" | undefined;
  readonly onToolResult: ((result: ToolResult, call: ToolCallPart) => unknown) | undefined;
  readonly listeners: readonly Listener<LoopEvent>[];
  readonly hooks: LoopHooks;
  readonly callBudget: number;
  readonly tokenBudget: number;
  readonly timeBudgetMs: number | undefined;
  readonly journal: Journal | undefined;
  readonly steering: Delivery;
  readonly followUps: Delivery;
  readonly extract: { family: string | undefined } | undefined;
  readonly repeats: RepeatLimits | undefined;
  readonly flow: InformationFlow | undefined;
  readonly approvals: ApprovalQueue | undefined;
  readonly retry: ModelRetry;
  readonly idleMs: number;
  readonly clock: Clock;
}

/** Checks the options of a loop. Throws `OPTION_INVALID`, naming the option. */
export function setUp(options: AgentLoopOptions, shared?: SharedTools): Setup {
  const { engine, events, hooks = {}, budgets = {}, extract = true, repeats = {}, retry = {} } = options;
  if (typeof engine?.stream !== "function") {
    throw check.invalid("engine", "an engine such as aiSdkEngine(model)", engine);
  }
  check.oneOf("mode", options.mode, ["parallel", "sequential"]);
  check.oneOf("steering", options.steering, ["one", "all"]);
  check.oneOf("followUps", options.followUps, ["one", "all"]);
  return {
    engine,
    system: options.system,
    ...(shared ?? toolsFor(options)),
    maxToolIterations: check.limit("maxToolIterations", options.maxToolIterations ?? 20),
    mode: options.mode,
    onToolResult: options.onToolResult?.bind(options),
    listeners: listenersOf(events),
    hooks,
    callBudget: check.limit("budgets.calls", budgets.calls ?? Number.POSITIVE_INFINITY),
    tokenBudget: check.limit("budgets.tokens", budgets.tokens ?? Number.POSITIVE_INFINITY, 1),
    timeBudgetMs: budgets.time === undefined ? undefined : parseDuration(budgets.time, "budgets.time"),
    journal: options.journal,
    steering: options.steering ?? "one",
    followUps: options.followUps ?? "one",
    extract: extract === false ? undefined : { family: extract === true ? undefined : extract.family },
    repeats: repeats === false ? undefined : repeatLimits(repeats),
    flow: options.flow,
    approvals: options.approvals,
    retry: modelRetry(retry),
    idleMs: check.timeout("idleTimeout", options.idleTimeout ?? "5m"),
    clock: options.clock ?? systemClock,
  };
}

export function toolsFor(options: AgentLoopOptions): SharedTools {
  const source = sourceOf(options.tools ?? []);
  const selection = selectionOf(options, source);
  return { ...benches(options, source, selection), selection };
}

function selectionOf(
  { selection, executor = {} }: AgentLoopOptions,
  source: ToolSource,
): Selection | undefined {
  if (selection === undefined) return undefined;
  if (isExecutor(executor)) throw check.invalid("selection", "used without an executor of your own", "both");
  return new Selection(source, selection, compileAllowlist(executor.allow));
}

function benches(
  options: AgentLoopOptions,
  source: ToolSource,
  selection: Selection | undefined,
): Pick<Setup, "bench" | "benchFor"> {
  const { executor = {}, hooks = {} } = options;
  if (isExecutor(executor)) {
    if (hooks.beforeCall !== undefined || hooks.afterCall !== undefined) {
      throw check.invalid(
        "hooks.beforeCall and afterCall",
        "given to the executor itself when there is one",
        "both",
      );
    }
    const bench = { definitions: new Definitions(source), executor, calls: new CallEvents(executor.events) };
    return {
      bench,
      benchFor() {
        throw check.invalid(
          "tools of prepareTurn",
          "a list of names when the loop was given an executor",
          "other tools",
        );
      },
    };
  }
  const { allow } = executor;
  const finding = selection !== undefined && Array.isArray(allow) && allow.length > 0;
  const own = finding ? { ...executor, allow: [...allow, FIND_TOOLS] } : executor;
  return ownBenches(source, selection?.source ?? source, own, hooks, options.clock);
}

function ownBenches(
  offered: ToolSource,
  callable: ToolSource,
  options: Omit<ExecutorOptions, "tools" | "hooks" | "mode">,
  { beforeCall, afterCall }: Hooks,
  clock: Clock | undefined,
): Pick<Setup, "bench" | "benchFor"> {
  const hooks: Hooks = {
    ...(beforeCall !== undefined && { beforeCall }),
    ...(afterCall !== undefined && { afterCall }),
  };
  const allowed = options.allow === undefined ? undefined : compileAllowlist(options.allow);
  const make = (shown: ToolSource, tools: ToolSource): Bench => {
    const executor = new Executor({
      ...(clock !== undefined && { clock }),
      ...options,
      ...(Object.keys(hooks).length > 0 && { hooks }),
      tools,
    });
    return {
      definitions: new Definitions(shown, allowed),
      executor,
      calls: new CallEvents(executor.events),
    };
  };
  const others = new WeakMap<object, Bench>();
  return {
    bench: make(offered, callable),
    benchFor(tools) {
      let bench = others.get(tools);
      if (bench === undefined) {
        const source = sourceOf(tools);
        bench = make(source, source);
        others.set(tools, bench);
      }
      return bench;
    },
  };
}

function isExecutor(value: object): value is CallExecutor {
  return typeof (value as Partial<CallExecutor>).batch === "function";
}

function listenersOf(events: AgentLoopOptions["events"]): Listener<LoopEvent>[] {
  if (events === undefined) return [];
  return [typeof events === "function" ? events : (event) => events.append(event)];
}

function modelRetry({
  attempts,
  backoff = "500ms",
  maxBackoff = "30s",
}: {
  attempts?: number;
  backoff?: Duration;
  maxBackoff?: Duration;
}): ModelRetry {
  return {
    attempts: check.limit("retry.attempts", attempts ?? 3, 1),
    backoffMs: parseDuration(backoff, "retry.backoff"),
    maxBackoffMs: parseDuration(maxBackoff, "retry.maxBackoff"),
  };
}
