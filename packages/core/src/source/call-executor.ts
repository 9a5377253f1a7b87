import type { BatchOptions, CallOptions, ToolCall } from "../call/call.ts";
import type { EventStream } from "../call/events.ts";
import type { ToolResult } from "../call/result.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import type { ToolSource } from "./source.ts";

/** Takes calls, returns results. Local and remote executors are both of this shape. */
export interface CallExecutor {
  readonly events: EventStream;
  /** The tools that it may call, each available if it could run now. Absent where only somebody else knows. */
  readonly tools?: ToolSource | undefined;
  /** It answers calls that come with a refusal without running them. Absent: they must be kept from it. */
  readonly refuses?: boolean | undefined;
  call(call: ToolCall, options?: CallOptions): Promise<ToolResult>;
  batch(calls: readonly ToolCall[], options?: BatchOptions): Promise<ToolResult[]>;
  /** What a model may be told of the tools: those that could run now. The same list until it would differ. */
  definitions?(): readonly ToolDefinition[];
  /** Drops what is remembered for a run that is over. */
  forget?(runId: string): void;
}
