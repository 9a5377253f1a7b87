import type { BatchOptions, CallOptions, ToolCall } from "./call.ts";
import type { EventStream } from "./events.ts";
import type { ToolResult } from "./result.ts";

/** Takes calls, returns results. Local and remote executors are both of this shape. */
export interface CallExecutor {
  readonly events: EventStream;
  call(call: ToolCall, options?: CallOptions): Promise<ToolResult>;
  batch(calls: readonly ToolCall[], options?: BatchOptions): Promise<ToolResult[]>;
  /** Drops what is remembered for a run that is over. */
  forget?(runId: string): void;
}
