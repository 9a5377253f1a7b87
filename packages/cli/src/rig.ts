import {
  type BatchOptions,
  type CallOptions,
  combineSources,
  type Duration,
  type EventStream,
  Executor,
  type ExecutorOptions,
  isToolSource,
  processTools,
  Registry,
  type ToolCall,
  type ToolResult,
  type ToolSource,
  withCapabilities,
} from "@toolrig/core";

export type RigOptions = ExecutorOptions;

/** The assembled whole: tools, and the one path that every call of them takes. */
export interface Rig {
  /** The rig's own tools. What is added here is callable at once. */
  readonly registry: Registry;
  /** Everything there is to call: the rig's own tools, then those registered process-wide. */
  readonly tools: ToolSource;
  readonly executor: Executor;
  readonly events: EventStream;
  /** Never rejects. */
  call(call: ToolCall, options?: CallOptions): Promise<ToolResult>;
  /** Results in the order of the calls. Never rejects. */
  batch(calls: readonly ToolCall[], options?: BatchOptions): Promise<ToolResult[]>;
  /** Takes no more calls, waits for those under way for at most `timeout` ("5s"), then cancels them. */
  close(timeout?: Duration): Promise<void>;
}

/** Assembles a rig. Throws `OPTION_INVALID` or `TOOL_INVALID_DEFINITION`, naming what is wrong. */
export function rig(options: RigOptions = {}): Rig {
  const { tools: given, capabilities, ...rest } = options;
  const listed = given === undefined || isToolSource(given) ? [] : given;
  const registry = given instanceof Registry ? given : new Registry(listed);
  const own: ToolSource[] = isToolSource(given) && given !== registry ? [registry, given] : [registry];
  const all = combineSources(...own, processTools);
  const tools = capabilities === undefined ? all : withCapabilities(all, capabilities);
  const executor = new Executor({ ...rest, tools });
  return {
    registry,
    tools,
    executor,
    events: executor.events,
    call: (call, callOptions) => executor.call(call, callOptions),
    batch: (calls, batchOptions) => executor.batch(calls, batchOptions),
    async close(timeout = "5s") {
      if (!(await executor.drain(timeout))) await executor.stop();
    },
  };
}
