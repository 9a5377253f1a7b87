import type { EventLog, Listener } from "@toolrig/core";
import { check, settingsOf } from "@toolrig/core/kit";
import type { AgentLoopOptions } from "../loop/options.ts";
import type { LifeOptions } from "../run/life.ts";
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

const RUN_SETTINGS = settingsOf<PlanRunOptions>({
  signal: true,
  runId: true,
  requestId: true,
  parentId: true,
  principal: true,
  trace: true,
  input: true,
});

/** Throws `OPTION_INVALID`, naming what is wrong with the options of a plan's run. */
export function checkPlanRunOptions(options: PlanRunOptions): void {
  check.known("A run of a plan", options, RUN_SETTINGS);
}
