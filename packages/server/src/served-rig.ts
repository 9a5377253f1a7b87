import type { Run, UserInput } from "@toolrig/agent";
import type {
  BatchOptions,
  CallOptions,
  Duration,
  Executor,
  OnWaiting,
  Principal,
  ToolCall,
  ToolResult,
  TraceCarrier,
} from "@toolrig/core";
import type { RigWith } from "@toolrig/core/kit";
import type { ServedRig as McpRig } from "@toolrig/mcp";
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

/** A rig. The server answers that it does not have the parts that are absent. */
export interface ServedRig
  extends RigWith<"tools" | "events" | "waits", "approvals" | "policy" | "descriptions" | "redactor"> {
  readonly executor: Executor;
  readonly store?: Store | undefined;
  /** Connections to MCP servers: what these have beside tools is served on to MCP clients. */
  readonly mcp?: McpRig["mcp"];
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
