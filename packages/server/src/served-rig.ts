import type { Run, UserInput } from "@toolrig/agent";
import type {
  ApprovalQueue,
  BatchOptions,
  CallOptions,
  Duration,
  EventStream,
  Executor,
  OnWaiting,
  Policy,
  Principal,
  Redactor,
  ToolCall,
  ToolResult,
  ToolSource,
  TraceCarrier,
  Waits,
} from "@toolrig/core";
import type { DescriptionStore } from "@toolrig/core/kit";
import type { Store } from "@toolrig/store";

/** How runs are started over HTTP. */
export interface ServedRunOptions {
  system?: string;
  maxToolIterations?: number;
  onWaiting?: OnWaiting | "suspend";
  principal?: Principal;
  /** The trace that whoever asked for it is part of. */
  trace?: TraceCarrier;
}

/** What is served: a rig. What it does not have, the server says it does not have. */
export interface ServedRig {
  readonly executor: Executor;
  readonly tools: ToolSource;
  readonly events: EventStream;
  readonly waits: Waits;
  readonly store?: Store | undefined;
  readonly approvals?: ApprovalQueue | undefined;
  readonly policy?: Policy | undefined;
  /** Descriptions that replace those in code. Default: the store's. */
  readonly descriptions?: DescriptionStore | undefined;
  /** What is shown is without the secrets that it knows. Default: the built-in rules. */
  readonly redactor?: Redactor | undefined;
  /** Runs under way in this process, by their ids: those that can be steered and aborted here. */
  readonly runs?: ReadonlyMap<string, Run>;
  /** Whether runs can be started without naming an engine. */
  readonly hasEngine?: boolean;
  call(call: ToolCall, options?: CallOptions): Promise<ToolResult>;
  batch(calls: readonly ToolCall[], options?: BatchOptions): Promise<ToolResult[]>;
  run?(input: UserInput, options?: ServedRunOptions): Run;
  resume?(runId: string, options?: Omit<ServedRunOptions, "runId">): Run;
  fork?(runId: string, turn: number, options?: ServedRunOptions & { input?: UserInput }): Run;
  /** Runs the turns of a run again, with its recorded calls in the place of the tools. */
  replay?(runId: string, options?: ServedRunOptions): Run;
  close(timeout?: Duration): Promise<void>;
}
