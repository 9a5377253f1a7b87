import type { EventStream } from "../call/events.ts";
import type { Redactor } from "../call/redact.ts";
import type { ApprovalQueue } from "../guards/approval/approval-queue.ts";
import type { InformationFlow } from "../guards/flow/flow.ts";
import type { Policy } from "../guards/policy/policy.ts";
import type { CallExecutor } from "../source/call-executor.ts";
import type { Registry } from "../source/registry.ts";
import type { ToolSource } from "../source/source.ts";
import type { ArtifactStore } from "../stores/artifacts.ts";
import type { DescriptionStore } from "../stores/descriptions.ts";
import type { Waits } from "./waiting/waits.ts";

/** The parts of a rig. A function that takes a rig names those it needs with `RigWith`. */
export interface RigParts {
  /** Holds the rig's own tools. Tools that are added here can be called at once. */
  readonly registry: Registry;
  /** Everything that may be called: the rig's own tools, then those registered process-wide, within the allowlist. */
  readonly tools: ToolSource;
  readonly executor: CallExecutor & {
    readonly artifacts?: ArtifactStore | undefined;
    readonly unrecorded?: number;
  };
  readonly events: EventStream;
  /** The waits of calls, and how they end. With a store, any process that has it open can end them. */
  readonly waits: Waits;
  /** Holds questions about calls. */
  readonly approvals: ApprovalQueue;
  /** Knows the labels of data that each run has read. */
  readonly flow: InformationFlow;
  readonly policy: Policy;
  /** Removes known secrets from everything that is recorded or shown. */
  readonly redactor: Redactor;
  /** Descriptions that models see in place of those in code. */
  readonly descriptions: DescriptionStore;
}

/** A rig that has the parts in `Needed`, and may have those in `Used`. */
export type RigWith<Needed extends keyof RigParts, Used extends keyof RigParts = never> = Pick<
  RigParts,
  Needed
> & { readonly [Part in Used]?: RigParts[Part] | undefined };
