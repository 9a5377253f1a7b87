import type { EventLog, Listener } from "@toolrig/core";
import { declareOptions, type OptionTable, omitOptions, option } from "@toolrig/core/kit";
import { type AgentLoopOptions, agentLoopOptions } from "../loop/options.ts";
import { type LifeOptions, lifeOptions } from "../run/life.ts";
import type { PlanEvent } from "./events.ts";

/** As of a loop: infer and loop steps run with these. Without an engine there can be none of them. */
export interface PlanExecutorOptions
  extends Omit<AgentLoopOptions, "engine" | "events" | "selection" | "trimResults"> {
  engine?: AgentLoopOptions["engine"];
  /** How many steps run at a time. Default 16. */
  concurrency?: number;
  /** Gets every event of every plan. */
  events?: EventLog<PlanEvent> | Listener<PlanEvent>;
}

export interface PlanRunOptions extends Omit<LifeOptions, "stepName"> {
  /** What `{"$from": "input"}` stands for. */
  input?: unknown;
}

export const planExecutorOptions = declareOptions("PlanExecutor", {
  ...omitOptions(agentLoopOptions, "engine", "selection", "trimResults"),
  engine: option.part("an engine such as aiSdkEngine(model)", ["stream"], {
    aliases: ["model", "llm", "languageModel"],
  }),
  concurrency: option.count(1, { default: 16, aliases: ["maxConcurrency"] }),
  events: option.checked<EventLog<PlanEvent> | Listener<PlanEvent>>(
    agentLoopOptions.table.events.allowed,
    agentLoopOptions.table.events.check,
  ),
} satisfies OptionTable<PlanExecutorOptions>);

export const planRunOptions = declareOptions("a run of a plan", {
  ...omitOptions(lifeOptions, "stepName"),
  input: option.anything("any value"),
} satisfies OptionTable<PlanRunOptions>);
