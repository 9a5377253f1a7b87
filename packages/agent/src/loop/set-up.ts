import { onWaitingOf, systemClock } from "@toolrig/core/kit";
import { flowOf } from "../run/flow.ts";
import { listenersOf } from "../run/run-events.ts";
import type { Setup } from "../run/setup.ts";
import { limitsOf } from "./limits-of.ts";
import { loopTools } from "./loop-tools.ts";
import { type AgentLoopOptions, agentLoopOptions } from "./options.ts";

/** Checks the options of a loop. Throws `OPTION_INVALID`, naming the option. */
export function setUp(options: AgentLoopOptions): Setup {
  agentLoopOptions.check(options);
  const { engine, events, hooks = {} } = options;
  const limits = limitsOf(options);
  return {
    engine,
    system: options.system,
    ...loopTools(options),
    ...limits,
    onWaiting: onWaitingOf(options.onWaiting),
    mode: options.mode,
    onToolResult: options.onToolResult?.bind(options),
    listeners: listenersOf(events),
    hooks,
    journal: options.journal,
    steering: options.steering ?? agentLoopOptions.defaults.steering,
    followUps: options.followUps ?? agentLoopOptions.defaults.followUps,
    flow: flowOf(options),
    approvals: options.approvals,
    tracer: options.tracer,
    clock: options.clock ?? systemClock,
  };
}
