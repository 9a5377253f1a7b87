import type { BatchOptions, CallOptions, ToolCall } from "../call/call.ts";
import type { EventStream } from "../call/events.ts";
import type { Principal } from "../call/principal.ts";
import type { ToolResult } from "../call/result.ts";
import type { InformationFlow } from "../guards/flow/flow.ts";
import type { Duration } from "../options/duration.ts";
import type { Wait, WaitStore } from "../stores/waits.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import type { ToolSource } from "./source.ts";

/** What calls wait for, as loops see it. */
export interface CallWaits {
  readonly store: Pick<WaitStore, "get">;
  /** Also looks after what other processes parked: checks it, and ends what has expired. */
  start(): void;
  /** Ends whatever an execution waits for. False when it waits for nothing. */
  cancel(executionId: string, how?: { by?: Principal; reason?: string }): Promise<boolean>;
  /** Runs approved calls that no process runs, looking every so often. Returns how to stop. */
  runApproved?(options?: { every?: Duration }): () => void;
  /** Called with every wait that is seen to end in this process. Returns how to stop. */
  onEnd(listener: (wait: Wait) => unknown): () => void;
}

/** Takes calls, returns results. Local and remote executors are both of this shape. */
export interface CallExecutor {
  readonly events: EventStream;
  /** The tools that it may call, each available if it could run now. Absent where only somebody else knows. */
  readonly tools?: ToolSource | undefined;
  /** It answers calls that come with a refusal without running them. Absent: they must be kept from it. */
  readonly refuses?: boolean | undefined;
  /** It is in this process, and knows `beforeRun`, `onUpdate` and `reshape`. Absent: calls run as they are, once they are allowed to. */
  readonly asksBeforeRun?: boolean | undefined;
  /** The guard that follows what runs have read, to be told what nobody but a loop sees. */
  readonly flow?: InformationFlow | undefined;
  /** Absent where calls never wait, or only somebody else knows. */
  readonly waits?: CallWaits | undefined;
  call(call: ToolCall, options?: CallOptions): Promise<ToolResult>;
  batch(calls: readonly ToolCall[], options?: BatchOptions): Promise<ToolResult[]>;
  /** What a model may be told of the tools: those that could run now. The same list until it would differ. */
  definitions?(): readonly ToolDefinition[];
  /** Drops what is remembered for a run that is over. */
  forget?(runId: string): void;
}
