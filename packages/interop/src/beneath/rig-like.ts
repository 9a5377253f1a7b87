import type { CallExecutor } from "@toolrig/core";
import { check, type RigWith } from "@toolrig/core/kit";

/** What a peer's calls go to: a rig of `toolrig`, or an executor on its own. */
export type RigLike = CallExecutor | AssembledRig;

/** A rig. Answers of a peer's own approval flow are written to its `approvals`. */
export type AssembledRig = RigWith<"executor", "approvals">;

/** The parts of what was given. Throws `OPTION_INVALID` for anything that takes no calls. */
export function partsOf(rig: RigLike): AssembledRig {
  check.object("rig", rig, "a rig or an executor");
  const parts: AssembledRig = "executor" in rig ? rig : { executor: rig };
  check.has("rig", parts.executor, ["call", "batch"], "a rig or an executor");
  return parts;
}
