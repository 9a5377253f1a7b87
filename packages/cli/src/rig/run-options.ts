import type { AgentLoopOptions, Engine, RunOptions } from "@toolrig/agent";
import { check, defined, settingsOf } from "@toolrig/core/kit";

/** Options of a run: those of its loop and its own. The rig brings tools, executor and journal. */
export interface RigRunOptions
  extends Omit<
      AgentLoopOptions,
      "engine" | "tools" | "executor" | "journal" | "selection" | "flow" | "approvals" | "tracer"
    >,
    RunOptions {
  /** Default: the rig's. */
  engine?: Engine;
  /** Whether questions stay open when the user says something meanwhile. Default: they count as denied. */
  keepApprovals?: boolean;
}

const SETTINGS = settingsOf<RigRunOptions>({
  engine: true,
  system: true,
  maxToolIterations: true,
  onWaiting: true,
  mode: true,
  onToolResult: true,
  events: true,
  hooks: true,
  budgets: true,
  steering: true,
  followUps: true,
  extract: true,
  repeats: true,
  retry: true,
  answerWithin: true,
  idleTimeout: true,
  trimResults: true,
  clock: true,
  keepApprovals: true,
  signal: true,
  runId: true,
  requestId: true,
  stepName: true,
  parentId: true,
  principal: true,
  trace: true,
  messages: true,
});

/** What is for the loop of a run. */
export type LoopPart = Omit<RigRunOptions, keyof RunOptions>;

/** The options of a run apart: those of its loop, and its own. Throws `OPTION_INVALID` for one that there is not. */
export function splitOptions(options: RigRunOptions): { loop: LoopPart; run: RunOptions } {
  check.known("A run", options, SETTINGS);
  check.flag("keepApprovals", options.keepApprovals);
  const { signal, runId, requestId, stepName, parentId, principal, trace, messages, ...loop } = options;
  const run: RunOptions = {
    ...defined({ signal, runId, requestId, stepName, parentId, principal, trace, messages }),
  };
  return { loop, run };
}
