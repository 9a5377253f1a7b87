import {
  type AgentLoopOptions,
  agentLoopOptions,
  type Engine,
  type RunOptions,
  runOptions,
} from "@toolrig/agent";
import { declareOptions, type OptionTable, omitOptions, option, pickOptions } from "@toolrig/core/kit";
import { rigOptions } from "./assemble.ts";

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

const rigRunOptions = declareOptions("a run", {
  ...omitOptions(
    agentLoopOptions,
    "engine",
    "tools",
    "executor",
    "journal",
    "selection",
    "flow",
    "approvals",
    "tracer",
  ),
  ...runOptions.table,
  ...pickOptions(rigOptions, "engine"),
  keepApprovals: option.flag({ default: false }),
} satisfies OptionTable<RigRunOptions>);

/** What is for the loop of a run. */
export type LoopPart = Omit<RigRunOptions, keyof RunOptions>;

/**
 * The options of a run apart: those of its loop, and its own. Throws `OPTION_INVALID` for an unknown option and for a wrong value of
 * one.
 */
export function splitOptions(options: RigRunOptions): { loop: LoopPart; run: RunOptions } {
  rigRunOptions.check(options);
  const loop: Record<string, unknown> = {};
  const run: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options))
    if (value !== undefined) (runOptions.names.includes(name) ? run : loop)[name] = value;
  return { loop, run };
}
