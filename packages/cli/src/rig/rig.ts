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
  type CallExecutor,
  type CallOptions,
  type CallRecord,
  type Duration,
  Executor,
  type Reconciliation,
  replaying,
  type ToolCall,
  type ToolResult,
  ToolrigError,
  type Waits,
} from "@toolrig/core";
import { defined, type RigWith } from "@toolrig/core/kit";
import {
  type AnthropicLoop,
  type AssembledRig,
  anthropic,
  type GeminiLoop,
  gemini,
  type OpenAIChatLoop,
  type OpenAILoop,
  type OpenAIOptions,
  openai,
  type VendorOptions,
} from "@toolrig/interop";
import { connectMcp, type Mcp, mcpTools } from "@toolrig/mcp/client";
import { type DynamicTools, dynamicTools, runCode } from "@toolrig/sandbox";
import type { ServedHttp, ServeOptions } from "@toolrig/server";
import type { Store } from "@toolrig/store";
import type { Telemetry } from "@toolrig/telemetry";
import { type AssembledParts, assemble, type RigOptions } from "./assemble.ts";
import { type LoopPart, type RigRunOptions, splitOptions } from "./run-options.ts";
import { steerNotifications } from "./steer-notifications.ts";

export type { RigOptions } from "./assemble.ts";
export type { RigRunOptions } from "./run-options.ts";

/** The assembled whole: tools, and the one path that every call of them takes. */
export interface Rig
  extends RigWith<"registry" | "tools" | "events" | "waits" | "redactor", "policy" | "descriptions"> {
  readonly executor: Executor;
  readonly store: Store | undefined;
  /** The connections to MCP servers, where the option asks for them. */
  readonly mcp: Mcp | undefined;
  /** Questions about calls, where there is a store to keep them. */
  readonly approvals: ApprovalQueue | undefined;
  /** Tools that models made, where `dynamicTools` lets them. */
  readonly dynamic: DynamicTools | undefined;
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
  /** Runs of this rig that are under way, by their ids. */
  readonly runs: ReadonlyMap<string, Run>;
  /** Whether runs can be given a task without naming an engine. */
  readonly hasEngine: boolean;
  /** Continues a run where the store's journal ends, without repeating calls that have happened. */
  resume(runId: string, options?: Omit<RigRunOptions, "runId" | "messages">): Run;
  /** Starts a new run from another one's past up to and including a turn, and goes on with `input` if given. */
  fork(
    runId: string,
    turn: number,
    options?: Omit<RigRunOptions, "runId" | "messages"> & { input?: UserInput },
  ): Run;
  /** Gives the task of a run to the model again. Its calls are answered from the records: no tool runs. */
  replay(runId: string, options?: Omit<RigRunOptions, "runId" | "messages">): Run;
  /** Serves it over HTTP: API, live events, MCP and console. docs/server.md */
  serve(options?: ServeOptions): Promise<ServedHttp>;
  /**
   * Resumes suspended runs of the store by themselves, with these options, once all that they wait for has come. Of many
   * processes that do so, one resumes a run. Until the rig is closed, or the function that is given back is called.
   */
  resumeWhenReady(
    options?: WhenReadyOptions<Run>,
    run?: Omit<RigRunOptions, "runId" | "messages">,
  ): () => void;
  /**
   * The tools for a loop of one's own around a vendor's API: definitions in the vendor's shape, and one function from its responses
   * to the messages that answer their calls. Throws `OPTION_INVALID`.
   */
  openai(options: OpenAIOptions & { api: "chat" }): OpenAIChatLoop;
  openai(options?: OpenAIOptions & { api?: "responses" }): OpenAILoop;
  anthropic(options?: VendorOptions): AnthropicLoop;
  gemini(options?: VendorOptions): GeminiLoop;
  /** Takes no more calls, waits for those under way for at most `timeout` ("5s"), then cancels them. */
  close(timeout?: Duration): Promise<void>;
}

/** A rig with a store of its own: what is kept there is there. */
export interface StoredRig extends Rig {
  readonly store: Store;
  readonly approvals: ApprovalQueue;
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
export function rig(options: RigOptions & { store: string | Store }): StoredRig;
export function rig(options?: RigOptions): Rig;
export function rig(options: RigOptions = {}): Rig {
  const parts = assemble(options);
  const { executor, dynamic } = made(parts, options);
  const loopFor = (given: RigRunOptions) => {
    const { loop, run } = splitOptions(given);
    parts.redactor.refuseSecretId("runId", run.runId);
    parts.redactor.refuseSecretId("requestId", run.requestId);
    return { loop: new AgentLoop(loopOptions(options, parts, executor, loop)), run };
  };
  const { registry, tools, store, approvals, reconciled } = parts;
  const mcp = connectionsOf(options, parts);
  const { waits } = executor;
  const stops = new Set<() => void>();
  const runs = new Map<string, Run>();
  if (mcp !== undefined && options.mcpNotifications === true)
    executor.events.on(steerNotifications(mcp, runs));
  const kept = (run: Run): Run => {
    const { runId } = run;
    runs.set(runId, run);
    const leave = () => {
      if (runs.get(runId) === run) runs.delete(runId);
    };
    run.outcome.then(leave, leave);
    return run;
  };
  if (store !== undefined && !store.readOnly) waits.start();
  const assembled: Rig = {
    registry,
    tools,
    executor,
    events: executor.events,
    store,
    mcp,
    approvals,
    dynamic,
    waits,
    runs,
    hasEngine: options.engine !== undefined,
    policy: parts.policy,
    redactor: parts.redactor,
    descriptions: parts.descriptions,
    reconciled,
    telemetry: parts.telemetry,
    complete: (executionId, token, outcome) => waits.complete(executionId, token, outcome),
    call: (call, callOptions) => executor.call(call, callOptions),
    batch: (calls, batchOptions) => executor.batch(calls, batchOptions),
    run(input, given = {}) {
      const { loop, run } = loopFor(given);
      return kept(loop.run(input, run));
    },
    resume(runId, given = {}) {
      const { loop, run } = loopFor(given);
      return kept(loop.resume(runId, run));
    },
    fork(runId, turn, { input, ...given } = {}) {
      const { loop, run } = loopFor(given);
      return kept(loop.fork(runId, turn, { ...run, ...defined({ input }) }));
    },
    replay(runId, given = {}) {
      const { loop, run } = splitOptions(given);
      const { input, recording } = recordedRun(store, runId);
      const answering = replaying(executor, recording, {
        redactor: parts.redactor,
        ...defined({ flow: parts.flow }),
      });
      return kept(new AgentLoop(loopOptions(options, parts, answering, loop)).run(input, run));
    },
    // Whoever does not serve pays nothing for it.
    serve: async (given) => (await import("@toolrig/server")).serve(assembled, given),
    resumeWhenReady(when, given = {}) {
      const { loop } = loopFor({ onWaiting: "return", ...given });
      const stop = loop.resumeWhenReady(when);
      stops.add(stop);
      return stop;
    },
    ...vendorLoops({ executor, approvals }),
    async close(timeout = "5s") {
      for (const stop of stops) stop();
      if (!(await executor.drain(timeout))) await executor.stop();
      dynamic?.close();
      await mcp?.close();
      await parts.close();
    },
  };
  return assembled;
}

/** What a run was asked, and its calls. Throws `OPTION_INVALID` where no store has it. */
function recordedRun(
  store: Store | undefined,
  runId: string,
): { input: UserInput; recording: Iterable<CallRecord> } {
  const header = store?.journal.header(runId);
  if (store === undefined || header === undefined)
    throw new ToolrigError("OPTION_INVALID", `Run ${runId} is not in the journal of this rig's store.`);
  const made = [...store.records.all({ runId })].filter(({ parentId }) => parentId === undefined);
  return { input: header.input as UserInput, recording: made };
}

function vendorLoops(parts: AssembledRig): Pick<Rig, "openai" | "anthropic" | "gemini"> {
  return {
    openai: ((options: OpenAIOptions & { api: "chat" }) => openai(parts, options)) as Rig["openai"],
    anthropic: (options) => anthropic(parts, options),
    gemini: (options) => gemini(parts, options),
  };
}

/** Options that are wrong leave no store open. */
function made(
  parts: AssembledParts,
  { dynamicTools: making = false, code = false }: RigOptions,
): { executor: Executor; dynamic: DynamicTools | undefined } {
  try {
    const executor = new Executor(parts.executorOptions);
    if (code !== false) parts.registry.add(runCode({ ...parts, executor }, code === true ? {} : code));
    if (making === false) return { executor, dynamic: undefined };
    return { executor, dynamic: dynamicTools({ ...parts, executor }, making === true ? {} : making) };
  } catch (error) {
    void parts.close();
    throw error;
  }
}

function connectionsOf({ mcp, mcpTools: offered }: RigOptions, parts: AssembledParts): Mcp | undefined {
  if (mcp === undefined && offered !== true) return undefined;
  try {
    const connections = connectMcp(parts, mcp ?? {});
    if (offered === true)
      for (const each of mcpTools(connections))
        parts.registry.add(each, { provider: "mcp", protected: true });
    return connections;
  } catch (error) {
    void parts.close();
    throw error;
  }
}

function loopOptions(
  { engine: usual, system }: RigOptions,
  { tools, store, flow, approvals, telemetry }: AssembledParts,
  executor: CallExecutor,
  { engine = usual, keepApprovals = false, ...given }: LoopPart,
): AgentLoopOptions {
  if (engine === undefined) {
    throw new ToolrigError(
      "OPTION_INVALID",
      "engine must be given, to the rig or to the run: aiSdkEngine(model) makes one from any AI SDK model.",
    );
  }
  return {
    ...defined({ system }),
    ...given,
    engine,
    tools,
    executor,
    ...defined({ journal: store?.journal, flow, tracer: telemetry }),
    ...(approvals !== undefined && !keepApprovals && { approvals }),
  };
}
