import {
  AgentLoop,
  type AgentLoopOptions,
  type Run,
  type UserInput,
  type WhenReadyOptions,
} from "@toolrig/agent";
import {
  type ApprovalQueue,
  type BatchOptions,
  type CallOptions,
  type Duration,
  type EventStream,
  Executor,
  type Reconciliation,
  type Registry,
  type ToolCall,
  type ToolResult,
  ToolrigError,
  type ToolSource,
  type Waits,
} from "@toolrig/core";
import { connectMcp, type Mcp } from "@toolrig/mcp";
import { type DynamicTools, dynamicTools, runCode } from "@toolrig/sandbox";
import type { Store } from "@toolrig/store";
import type { Telemetry } from "@toolrig/telemetry";
import { assemble, type Parts, type RigOptions } from "./assemble.ts";
import { type LoopPart, type RigRunOptions, splitOptions } from "./run-options.ts";

export type { RigOptions } from "./assemble.ts";
export type { RigRunOptions } from "./run-options.ts";

/** The assembled whole: tools, and the one path that every call of them takes. */
export interface Rig {
  /** The rig's own tools. What is added here is callable at once. */
  readonly registry: Registry;
  /** Everything that may be called: the rig's own tools, then those registered process-wide, within the allowlist. */
  readonly tools: ToolSource;
  readonly executor: Executor;
  readonly events: EventStream;
  readonly store: Store | undefined;
  /** The connections to MCP servers, where the option asks for them. */
  readonly mcp: Mcp | undefined;
  /** Questions about calls, where there is a store to keep them. */
  readonly approvals: ApprovalQueue | undefined;
  /** Tools that models made, where `dynamicTools` lets them. */
  readonly dynamic: DynamicTools | undefined;
  /** What calls wait for, and how that ends. With a store, it goes on in whichever process has it open. */
  readonly waits: Waits;
  /** What became of calls that an earlier process left open. No call with side effects starts before it resolves. */
  readonly reconciled: Promise<readonly Reconciliation[]>;
  /** Spans and metrics, where the option asks for them. */
  readonly telemetry: Telemetry | undefined;
  /** Never rejects. */
  call(call: ToolCall, options?: CallOptions): Promise<ToolResult>;
  /** Results in the order of the calls. Never rejects. */
  batch(calls: readonly ToolCall[], options?: BatchOptions): Promise<ToolResult[]>;
  /**
   * The result of a call that was deferred or handed out, by whoever has its token: a value, `result(...)` or `failure(...)`.
   * Rejects with `COMPLETION_REFUSED`, and nothing has changed, when it does not count.
   */
  complete: Waits["complete"];
  /** Gives a task to a model. Its outcome never rejects. Throws `OPTION_INVALID` when no engine is known. */
  run(input: UserInput, options?: RigRunOptions): Run;
  /** Continues a run where the store's journal ends, without repeating calls that have happened. */
  resume(runId: string, options?: Omit<RigRunOptions, "runId" | "messages">): Run;
  /**
   * Resumes suspended runs of the store by themselves, with these options, once all that they wait for has come. Of many
   * processes that do so, one resumes a run. Until the rig is closed, or the function that is given back is called.
   */
  resumeWhenReady(
    options?: WhenReadyOptions<Run>,
    run?: Omit<RigRunOptions, "runId" | "messages">,
  ): () => void;
  /** Takes no more calls, waits for those under way for at most `timeout` ("5s"), then cancels them. */
  close(timeout?: Duration): Promise<void>;
}

/**
 * Assembles a rig. Throws `OPTION_INVALID`, `CONFIG_INVALID` or `TOOL_INVALID_DEFINITION`, naming what is wrong.
 *
 * @example
 * ```ts
 * import { rig, tool } from "toolrig";
 *
 * const input = { type: "object" } as const;
 * const ping = tool({ name: "ping", description: "Answer", input, execute: () => "pong" });
 * const { call, close } = rig({ tools: [ping], store: "toolrig.db", policy: { profile: "standard" } });
 * console.log((await call({ id: "call_1", name: "ping" })).value); //=> pong
 * await close();
 * ```
 */
export function rig(options: RigOptions = {}): Rig {
  const parts = assemble(options);
  const { executor, dynamic } = made(parts, options);
  const loopFor = (given: RigRunOptions) => {
    const { loop, run } = splitOptions(given);
    return { loop: new AgentLoop(loopOptions(options, parts, executor, loop)), run };
  };
  const { registry, tools, store, approvals, reconciled } = parts;
  const mcp = connectionsOf(options, parts);
  const { waits } = executor;
  const stops = new Set<() => void>();
  if (store !== undefined && !store.readOnly) waits.start();
  return {
    registry,
    tools,
    executor,
    events: executor.events,
    store,
    mcp,
    approvals,
    dynamic,
    waits,
    reconciled,
    telemetry: parts.telemetry,
    complete: (executionId, token, outcome) => waits.complete(executionId, token, outcome),
    call: (call, callOptions) => executor.call(call, callOptions),
    batch: (calls, batchOptions) => executor.batch(calls, batchOptions),
    run(input, given = {}) {
      const { loop, run } = loopFor(given);
      return loop.run(input, run);
    },
    resume(runId, given = {}) {
      const { loop, run } = loopFor(given);
      return loop.resume(runId, run);
    },
    resumeWhenReady(when, given = {}) {
      const { loop } = loopFor({ onWaiting: "suspend", ...given });
      const stop = loop.resumeWhenReady(when);
      stops.add(stop);
      return stop;
    },
    async close(timeout = "5s") {
      for (const stop of stops) stop();
      if (!(await executor.drain(timeout))) await executor.stop();
      dynamic?.close();
      await mcp?.close();
      await parts.close();
    },
  };
}

/** Options that are wrong leave no store open. */
function made(
  parts: Parts,
  { dynamicTools: making = false, code = false }: RigOptions,
): { executor: Executor; dynamic: DynamicTools | undefined } {
  try {
    const executor = new Executor(parts.executor);
    if (code !== false) parts.registry.add(runCode({ ...parts, executor }, code === true ? {} : code));
    if (making === false) return { executor, dynamic: undefined };
    return { executor, dynamic: dynamicTools({ ...parts, executor }, making === true ? {} : making) };
  } catch (error) {
    void parts.close();
    throw error;
  }
}

function connectionsOf({ mcp }: RigOptions, parts: Parts): Mcp | undefined {
  if (mcp === undefined) return undefined;
  try {
    return connectMcp(parts, mcp);
  } catch (error) {
    void parts.close();
    throw error;
  }
}

function loopOptions(
  { engine: usual, system }: RigOptions,
  { tools, store, flow, approvals, telemetry }: Parts,
  executor: Executor,
  { engine = usual, keepApprovals = false, ...given }: LoopPart,
): AgentLoopOptions {
  if (engine === undefined) {
    throw new ToolrigError(
      "OPTION_INVALID",
      "engine must be given, to the rig or to the run: aiSdkEngine(model) makes one from any AI SDK model.",
    );
  }
  return {
    ...(system !== undefined && { system }),
    ...given,
    engine,
    tools,
    executor,
    ...(store !== undefined && { journal: store.journal }),
    ...(flow !== undefined && { flow }),
    ...(telemetry !== undefined && { tracer: telemetry }),
    ...(approvals !== undefined && !keepApprovals && { approvals }),
  };
}
