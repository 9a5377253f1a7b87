import { check, systemClock } from "@toolrig/core/kit";
import { flowOf } from "../run/flow.ts";
import { listenersOf } from "../run/run-events.ts";
import type { Setup } from "../run/setup.ts";
import { checkLoopOptions, LOOP_SETTINGS } from "./check-options.ts";
import { loopTools } from "./loop-tools.ts";
import type { AgentLoopOptions } from "./options.ts";

/** Checks the options of a loop. Throws `OPTION_INVALID`, naming the option. */
export function setUp(options: AgentLoopOptions): Setup {
  check.object("The options of a loop", options);
  check.known("A loop", options, LOOP_SETTINGS);
  const { engine, events, hooks = {} } = options;
  const limits = checkLoopOptions(options);
  if (engine === undefined) throw check.invalid("engine", "an engine such as aiSdkEngine(model)", engine);
  return {
    engine,
    system: options.system,
    ...loopTools(options),
    ...limits,
    onWaiting: options.onWaiting ?? "hold",
    mode: options.mode,
    onToolResult: options.onToolResult?.bind(options),
    listeners: listenersOf(events),
    hooks,
    journal: options.journal,
    steering: options.steering ?? "one",
    followUps: options.followUps ?? "one",
    flow: flowOf(options),
    approvals: options.approvals,
    tracer: options.tracer,
    clock: options.clock ?? systemClock,
  };
}
