import { copy } from "../copy.ts";
import { check } from "../options/check.ts";
import { declareOptions, type OptionTable } from "../options/declare-options.ts";
import { type Duration, parseDuration } from "../options/duration.ts";
import { amount, callback, checked, duration, group, recordOf } from "../options/kinds.ts";
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

const costOptions = declareOptions("cost", {
  perRun: amount(0, { required: true }),
  units: recordOf("what each tool costs, by name", amount(), { required: true }),
} satisfies OptionTable<NonNullable<Budgets["cost"]>>);

const windowOptions = declareOptions("window", {
  calls: amount(0, { required: true }),
  per: duration({ required: true }),
} satisfies OptionTable<NonNullable<Budgets["window"]>>);

const byTool = recordOf("a number, or numbers by the names of tools", amount());

/** A limit that is no number would never be reached, and a negative cost would give units back. */
const budgetOptions = declareOptions("budgetGuard", {
  callsPerRun: amount(),
  callsPerTool: checked(byTool.allowed, (field, value, checks) =>
    (typeof value === "number" ? amount() : byTool).check(field, value, checks),
  ),
  callsPerTurn: amount(),
  cost: group(costOptions),
  window: group(windowOptions),
} satisfies OptionTable<Budgets>);

const clockOptions = declareOptions("budgetGuard", {
  now: callback(),
} satisfies OptionTable<{ now?: () => number }>);

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
  if (budgets === undefined) throw check.invalid("budgets", "an object of budgets", budgets);
  budgetOptions.check(budgets);
  clockOptions.check(options);
  const { now = Date.now } = options;
  const runs = new RunStates<Spent>(() => ({ calls: 0, cost: 0, byTool: new Map() }));
  const turns = new RunStates<Turn>(() => ({ calls: 0 }));
  const starts: number[] = [];
  const windowMs = budgets.window === undefined ? 0 : parseDuration(budgets.window.per, "window.per");

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
