import type { EventLog, Listener } from "@toolrig/core";
import type { AgentLoopOptions } from "../loop/options.ts";
import type { LifeOptions } from "../run/life.ts";
import type { PlanEvent } from "./events.ts";

/** As of a loop: infer and loop steps run with these. Without an engine there can be none of them. */
export interface PlanExecutorOptions extends Omit<AgentLoopOptions, "engine" | "events" | "selection"> {
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
