import type { ArtifactStore, RigWith } from "@toolrig/core/kit";

/**
 * A rig, or the parts of one. An executor on its own is enough: then its tools, events, waits and artifacts are served, and its own
 * approver answers calls that need approval.
 */
export type ServedRig = RigWith<"executor", "tools" | "events" | "waits" | "approvals">;

/** A rig with what is missing taken from its executor. */
export type ServedParts = RigWith<"executor" | "tools" | "events", "waits" | "approvals"> & {
  readonly artifacts: ArtifactStore | undefined;
};
