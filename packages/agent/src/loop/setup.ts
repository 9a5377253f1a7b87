import {
  type ApprovalQueue,
  type CallExecutor,
  type Clock,
  compileAllowlist,
  type Duration,
  Executor,
  type ExecutorOptions,
  type Hooks,
  type InformationFlow,
  type Journal,
  type Listener,
  parseDuration,
  type RepeatLimits,
  repeatLimits,
  systemClock,
  type ToolList,
  type ToolResult,
  ToolrigError,
  type ToolSource,
} from "@toolrig/core";
import type { Engine } from "../model/engine.ts";
import type { ModelRetry } from "../model/infer.ts";
import type { ToolCallPart } from "../model/message.ts";
import { CallEvents } from "../run/call-events.ts";
import { FIND_TOOLS } from "../select/find-tools.ts";
import { Selection } from "../select/offering.ts";
import { Definitions } from "./definitions.ts";
import type { LoopEvent } from "./events.ts";
import type { LoopHooks } from "./hooks.ts";
import type { AgentLoopOptions } from "./options.ts";
import type { Delivery } from "./steering.ts";
import { sourceOf } from "./tool-source.ts";

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
    throw invalid("engine", "an engine such as aiSdkEngine(model)", engine);
  }
  return {
    engine,
    system: options.system,
    ...(shared ?? toolsFor(options)),
    maxToolIterations: count("maxToolIterations", options.maxToolIterations, 20, 0),
    mode: oneOf("mode", options.mode, ["parallel", "sequential"]),
    onToolResult: options.onToolResult?.bind(options),
    listeners: listenersOf(events),
    hooks,
    callBudget: count("budgets.calls", budgets.calls, Number.POSITIVE_INFINITY, 0),
    tokenBudget: count("budgets.tokens", budgets.tokens, Number.POSITIVE_INFINITY, 1),
    timeBudgetMs: budgets.time === undefined ? undefined : parseDuration(budgets.time, "budgets.time"),
    journal: options.journal,
    steering: oneOf("steering", options.steering, ["one", "all"]) ?? "one",
    followUps: oneOf("followUps", options.followUps, ["one", "all"]) ?? "one",
    extract: extract === false ? undefined : { family: extract === true ? undefined : extract.family },
    repeats: repeats === false ? undefined : repeatLimits(repeats),
    flow: options.flow,
    approvals: options.approvals,
    retry: modelRetry(retry),
    idleMs: aboveZero("idleTimeout", options.idleTimeout ?? "5m"),
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
  if (isExecutor(executor)) throw invalid("selection", "used without an executor of your own", "both");
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
      throw invalid(
        "hooks.beforeCall and afterCall",
        "given to the executor itself when there is one",
        "both",
      );
    }
    const bench = { definitions: new Definitions(source), executor, calls: new CallEvents(executor.events) };
    return {
      bench,
      benchFor() {
        throw invalid(
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
    attempts: count("retry.attempts", attempts, 3, 1),
    backoffMs: parseDuration(backoff, "retry.backoff"),
    maxBackoffMs: parseDuration(maxBackoff, "retry.maxBackoff"),
  };
}

function aboveZero(field: string, value: Duration): number {
  const ms = parseDuration(value, field);
  if (ms > 0) return ms;
  throw invalid(field, "a duration above 0", value);
}

function count(field: string, value: number | undefined, byDefault: number, least: number): number {
  if (value === undefined) return byDefault;
  if ((Number.isInteger(value) || value === Number.POSITIVE_INFINITY) && value >= least) return value;
  throw invalid(field, `a whole number of at least ${least}`, value);
}

function oneOf<Choice extends string>(
  field: string,
  value: Choice | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  if (value === undefined || choices.includes(value)) return value;
  throw invalid(field, choices.map((choice) => `"${choice}"`).join(" or "), value);
}

export function invalid(field: string, expected: string, received: unknown): ToolrigError {
  const shown = typeof received === "object" && received !== null ? "an object" : String(received);
  return new ToolrigError("OPTION_INVALID", `${field} must be ${expected}; got ${shown}.`);
}
