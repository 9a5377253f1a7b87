import type { BatchOptions, CallOptions, ToolCall } from "../call/call.ts";
import { EventStream } from "../call/events.ts";
import { NO_OPTIONS, ownBatchOptions, ownCall, ownOptions } from "../call/own-call.ts";
import type { ToolResult } from "../call/result.ts";
import { InformationFlow } from "../guards/flow/flow.ts";
import { check } from "../options/check.ts";
import { type Duration, parseDuration } from "../options/duration.ts";
import { type RecordingExecutor, recording } from "../recording/recording.ts";
import type { CallExecutor } from "../source/call-executor.ts";
import { DefinitionList } from "../source/definition-list.ts";
import type { ToolSource } from "../source/source.ts";
import { wrapSource } from "../source/wrap-source.ts";
import type { ArtifactStore } from "../stores/artifacts.ts";
import type { ToolDefinition } from "../tool/definition.ts";
import type { CounterValues } from "./counters.ts";
import { type Health, Lifecycle } from "./lifecycle.ts";
import type { ExecutorOptions } from "./options.ts";
import { Pipeline } from "./pipeline.ts";
import { type Services, servicesOf } from "./services.ts";
import { Waits } from "./waiting/waits.ts";

/**
 * Takes calls, returns results. Whatever happens to a call, its promise resolves with exactly one result.
 *
 * @example
 * ```ts
 * import { Executor, tool } from "@toolrig/core";
 * import { z } from "zod";
 *
 * const double = tool({
 *   name: "double",
 *   description: "Double a number",
 *   input: z.object({ n: z.number() }),
 *   execute: ({ n }) => 2 * n,
 * });
 * const executor = new Executor({ tools: [double], timeout: "5s" });
 * const { value } = await executor.call({ id: "call_1", name: "double", arguments: "{n: '21'}" });
 * console.log(value); //=> 42
 * ```
 */
export class Executor implements CallExecutor {
  readonly refuses = true;
  readonly asksBeforeRun = true;
  readonly events: EventStream;
  readonly artifacts: ArtifactStore;
  /** What calls wait for, and how that ends. */
  readonly waits: Waits;
  readonly #services: Services;
  readonly #pipeline: Pipeline;
  readonly #life: Lifecycle;
  readonly #recording: RecordingExecutor | undefined;
  #tools: ToolSource | undefined;
  #definitions: DefinitionList | undefined;

  constructor(options: ExecutorOptions = {}) {
    this.#services = servicesOf(options);
    this.#pipeline = new Pipeline(this.#services);
    this.#life = new Lifecycle(this.#services);
    this.events = this.#services.events;
    this.artifacts = this.#services.artifacts;
    this.waits = new Waits(this.#services, this.#pipeline);
    const { events, store } = options;
    if (typeof events === "function") this.events.on(events);
    else if (events !== undefined && !(events instanceof EventStream))
      this.events.on((event) => events.append(event));
    if (store !== undefined) this.#recording = recording(this, store, { redactor: this.#services.redactor });
  }

  get flow(): InformationFlow | undefined {
    return InformationFlow.of(this.#services.guards);
  }

  /** What it would run: the tools that are allowed. Those that require more than is granted are unavailable. */
  get tools(): ToolSource {
    const { source, allow } = this.#services;
    this.#tools ??= wrapSource(source, { keep: (tool) => allow(tool, source) === undefined });
    return this.#tools;
  }

  /** What a model is told: the newest version of each tool that could run now. The same list until it would differ. */
  definitions(): readonly ToolDefinition[] {
    this.#definitions ??= new DefinitionList(this.tools);
    return this.#definitions.current();
  }

  /**
   * Never rejects. Throws `OPTION_INVALID` at once for an unknown option, for a wrong value of one and for an id that holds a
   * secret which `redact` or a built-in rule knows.
   */
  call(call: ToolCall, options: CallOptions = NO_OPTIONS): Promise<ToolResult> {
    const own = ownOptions(options);
    this.#refuseSecretIds(own);
    return this.#pipeline.call(ownCall(call), own, undefined);
  }

  /**
   * Results in the order of the calls. Never rejects. Throws `OPTION_INVALID` at once for calls that are no list, for an unknown
   * option and for a wrong value of one.
   */
  batch(calls: readonly ToolCall[], options: BatchOptions = NO_OPTIONS): Promise<ToolResult[]> {
    if (!Array.isArray(calls)) throw check.invalid("calls", "a list of calls", calls);
    const own = ownBatchOptions(options);
    this.#refuseSecretIds(own);
    const { executionIds, refusals, signals, ...rest } = own;
    return this.#pipeline.batch(calls.map(ownCall), {
      ...rest,
      ...(executionIds !== undefined && { executionIds: [...executionIds] }),
      ...(refusals !== undefined && { refusals: [...refusals] }),
      ...(signals !== undefined && { signals: [...signals] }),
    });
  }

  /** Ids are kept as they are wherever a call is kept, so none may hold a secret. */
  #refuseSecretIds(options: CallOptions & BatchOptions): void {
    if (options === NO_OPTIONS) return;
    const { redactor } = this.#services;
    redactor.refuseSecretId("executionId", options.executionId);
    redactor.refuseSecretId("runId", options.runId);
    redactor.refuseSecretId("requestId", options.requestId);
    redactor.refuseSecretId("parentId", options.parentId);
    if (options.executionIds !== undefined)
      for (const id of options.executionIds) redactor.refuseSecretId("executionIds", id);
  }

  /** Takes calls again after `drain` or `stop`. A new executor takes them at once. */
  start(): void {
    this.#life.start();
    this.#services.keeper.restart();
  }

  /** Records of calls that have ended and are not in the store yet. More than 10,000 are dropped, and counted. */
  get unrecorded(): number {
    return this.#recording?.pending ?? 0;
  }

  /** Resolves when the calls that have ended are on record, or counted as dropped. */
  async flush(): Promise<void> {
    await this.#recording?.flush();
  }

  /** Takes no more calls and waits for those under way. Resolves false when some still run after `timeout`. */
  async drain(timeout: Duration = "30s"): Promise<boolean> {
    const drained = await this.#life.drain(parseDuration(timeout, "timeout"));
    await this.#end();
    return drained;
  }

  /** Takes no more calls and cancels those under way; they are answered as cancelled. */
  async stop(timeout: Duration = "5s"): Promise<boolean> {
    const stopped = await this.#life.stop(parseDuration(timeout, "timeout"));
    await this.#end();
    return stopped;
  }

  /** Stores what is known and not stored yet. */
  async #end(): Promise<void> {
    await this.waits.stop();
    await this.#services.held.flush();
    await this.#recording?.settle();
  }

  health(): Health & CounterValues & { recordsDropped: number; listenerFaults: number } {
    return {
      ...this.#life.health(this.#recording?.problem),
      ...this.#services.counters.values(),
      recordsDropped: this.#recording?.dropped ?? 0,
      listenerFaults: this.events.faults,
    };
  }

  /** Drops what pure tools remembered for a run that is over. */
  forget(runId: string): void {
    this.#services.memo.forget(runId);
  }
}
