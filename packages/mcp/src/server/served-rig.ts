import type { ArtifactStore, RigWith } from "@toolrig/core/kit";
import type { Offers } from "../client/offers.ts";

/**
 * A rig, or the parts of one. An executor on its own is enough: then its tools, events, waits and artifacts are served, and its own
 * approver answers calls that need approval.
 */
export type ServedRig = RigWith<"executor", "tools" | "events" | "waits" | "approvals"> & {
  /** Connections to MCP servers: what these have beside tools is served on to clients. */
  readonly mcp?: { readonly offers: Offers } | undefined;
};

/** A rig with what is missing taken from its executor. */
export type ServedParts = RigWith<"executor" | "tools" | "events", "waits" | "approvals"> & {
  readonly artifacts: ArtifactStore | undefined;
  readonly offers: Offers | undefined;
};
