import { copy } from "../copy.ts";
import { check, settingsOf } from "../options/check.ts";
import type { Duration } from "../options/duration.ts";
import type { Guard, GuardInput } from "./guard.ts";
import { RunStates } from "./run-states.ts";

export interface Budgets {
  /** Calls in one run. */
  callsPerRun?: number;
  /** Calls of one tool in one run: a number for every tool, or by name. */
  callsPerTool?: number | Readonly<Record<string, number>>;
  /** Calls in one batch, with those that its tools and scripts make. Of the batch itself, those beyond it are refused before any runs. */
  callsPerTurn?: number;
  /** Units that tools cost, and how many a run may spend. Tools without an entry cost nothing. */
  cost?: { perRun: number; units: Readonly<Record<string, number>> };
  /** Calls in a sliding window, over all runs. */
  window?: { calls: number; per: Duration };
}

const SETTINGS = settingsOf<Budgets>({
  callsPerRun: true,
  callsPerTool: true,
  callsPerTurn: true,
  cost: true,
  window: true,
});
const COST = settingsOf<NonNullable<Budgets["cost"]>>({ perRun: true, units: true });
const WINDOW = settingsOf<NonNullable<Budgets["window"]>>({ calls: true, per: true });

interface Spent {
  calls: number;
  cost: number;
  byTool: Map<string, number>;
}

interface Turn {
  calls: number;
}

/**
 * Refuses calls that would exceed a budget, before they run, and says which one and what to do instead. A call counts
 * once this guard has let it pass, also when a later guard or a person refuses it; an answer from memory costs nothing, and a
 * call that waited is not counted again when it goes on.
 * A batch without a run is a run of its own.
 *
 * @example
 * ```ts
 * import { budgetGuard, Executor, tool } from "@toolrig/core";
 *
 * const input = { type: "object" } as const;
 * const ping = tool({ name: "ping", description: "Answer", input, execute: () => "pong" });
 * const executor = new Executor({ tools: [ping], guards: [budgetGuard({ callsPerRun: 1 })] });
 *
 * await executor.call({ id: "call_1", name: "ping" }, { runId: "run_1" });
 * const { failure } = await executor.call({ id: "call_2", name: "ping" }, { runId: "run_1" });
 * console.log(failure?.code); //=> TOOL_BUDGET_EXCEEDED
 * ```
 */
export function budgetGuard(given: Budgets, options: { now?: () => number } = {}): Guard {
  const budgets = copy(given);
  checkBudgets(budgets);
  check.known("budgetGuard", options, ["now"]);
  const { now = Date.now } = options;
  check.function("now", now);
  const runs = new RunStates<Spent>(() => ({ calls: 0, cost: 0, byTool: new Map() }));
  const turns = new RunStates<Turn>(() => ({ calls: 0 }));
  const starts: number[] = [];
  const windowMs = budgets.window === undefined ? 0 : check.timeout("window.per", budgets.window.per);

  return {
    name: "budget",
    judgesEdits: false,
    before(input) {
      // It was counted when it began.
      if (input.resumed === true) return undefined;
      const { batch, runId = batch.id, tool } = input;
      const spent = runs.of(runId);
      const turn = turns.of(batch.id);
      if (budgets.window !== undefined)
        while (starts[0] !== undefined && starts[0] <= now() - windowMs) starts.shift();
      const exceeded = exceededBy(budgets, spent, turn, starts.length, input);
      if (exceeded !== undefined) return { verdict: "deny", code: "TOOL_BUDGET_EXCEEDED", reason: exceeded };
      if (budgets.window !== undefined) starts.push(now());
      charge(spent, turn, budgets, tool.name, 1);
      return undefined;
    },
    after({ batch, runId = batch.id, tool, result }) {
      if (result.cached !== true) return undefined;
      starts.pop();
      charge(runs.of(runId), turns.of(batch.id), budgets, tool.name, -1);
      return undefined;
    },
  };
}

function charge(spent: Spent, turn: Turn, budgets: Budgets, name: string, calls: 1 | -1): void {
  turn.calls += calls;
  spent.calls += calls;
  spent.cost += calls * costOf(budgets, name);
  spent.byTool.set(name, (spent.byTool.get(name) ?? 0) + calls);
}

function exceededBy(
  budgets: Budgets,
  spent: Spent,
  turn: Turn,
  recent: number,
  { tool }: GuardInput,
): string | undefined {
  const { callsPerRun, callsPerTool, callsPerTurn, cost, window } = budgets;
  if (callsPerTurn !== undefined && turn.calls >= callsPerTurn) {
    return `at most ${callsPerTurn} calls can be made in one turn, those of tools and scripts included; make it in a later turn if it is still needed`;
  }
  if (callsPerRun !== undefined && spent.calls >= callsPerRun) {
    return `the budget of ${callsPerRun} calls for this run is used up; finish with what you have`;
  }
  const most = typeof callsPerTool === "number" ? callsPerTool : own(callsPerTool, tool.name);
  if (most !== undefined && (spent.byTool.get(tool.name) ?? 0) >= most) {
    return `the budget of ${most} calls of ${tool.name} for this run is used up; use another tool or finish`;
  }
  if (cost !== undefined && spent.cost + costOf(budgets, tool.name) > cost.perRun) {
    return `${tool.name} costs ${costOf(budgets, tool.name)} and ${cost.perRun - spent.cost} of ${cost.perRun} units are left; use something cheaper or finish`;
  }
  if (window !== undefined && recent >= window.calls) {
    return `at most ${window.calls} calls can be made per ${String(window.per)}; wait or finish with what you have`;
  }
  return undefined;
}

function costOf({ cost }: Budgets, name: string): number {
  return own(cost?.units, name) ?? 0;
}

function own(record: Readonly<Record<string, number>> | undefined, key: string): number | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A limit that is no number would never be reached, and a negative cost would give units back. */
function checkBudgets(budgets: Budgets): void {
  if (budgets === undefined) throw check.invalid("budgets", "given", budgets);
  check.known("A budget", budgets, SETTINGS);
  const { callsPerRun, callsPerTool, callsPerTurn, window, cost } = budgets;
  check.known("budget cost", cost, COST);
  check.known("budget window", window, WINDOW);
  if (cost?.perRun === undefined && cost !== undefined)
    throw check.invalid("budget cost.perRun", "given", undefined);
  if (cost !== undefined) check.object("budget cost.units", cost.units, "what each tool costs, by name");
  if (window !== undefined && window.calls === undefined)
    throw check.invalid("budget window.calls", "given", undefined);
  if (typeof callsPerTool !== "number" && callsPerTool !== undefined)
    check.object("budget callsPerTool", callsPerTool, "a number, or numbers by the names of tools");
  const limits: [field: string, value: number | undefined][] = [
    ["callsPerRun", callsPerRun],
    ["callsPerTurn", callsPerTurn],
    ["window.calls", window?.calls],
    ["cost.perRun", cost?.perRun],
    ...named("cost.units", cost?.units),
    ...(typeof callsPerTool === "object"
      ? named("callsPerTool", callsPerTool)
      : [["callsPerTool", callsPerTool] as [string, number | undefined]]),
  ];
  for (const [field, value] of limits) {
    if (value === undefined || (Number.isFinite(value) && value >= 0)) continue;
    throw check.invalid(`budget ${field}`, "a number of at least 0", value);
  }
}

function named(field: string, record: Readonly<Record<string, number>> | undefined): [string, number][] {
  return Object.entries(record ?? {}).map(([name, value]) => [`${field}.${name}`, value]);
}
