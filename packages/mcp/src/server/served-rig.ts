import type { ApprovalQueue, CallExecutor, EventStream, ToolSource, Waits } from "@toolrig/core";
import type { ArtifactStore } from "@toolrig/core/kit";

/**
 * What is served: a rig, or the parts of one. An executor of its own will do; then its tools, events, waits and artifacts are
 * what is served, and a call that needs approval is answered by the executor's own approver.
 */
export interface ServedRig {
  readonly executor: CallExecutor & { readonly artifacts?: ArtifactStore; readonly unrecorded?: number };
  /** Default: the executor's. */
  readonly tools?: ToolSource;
  readonly events?: EventStream;
  readonly waits?: Waits;
  /** Where calls wait for permission. Without it nobody is asked through MCP. */
  readonly approvals?: ApprovalQueue | undefined;
}

/** A rig with what is missing taken from its executor. */
export interface Parts {
  readonly executor: ServedRig["executor"];
  readonly tools: ToolSource;
  readonly events: EventStream;
  readonly waits: Waits | undefined;
  readonly artifacts: ArtifactStore | undefined;
  readonly approvals: ApprovalQueue | undefined;
}
