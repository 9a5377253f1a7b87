import type {
  BatchOptions,
  CallExecutor,
  CallOptions,
  CallSource,
  InformationFlow,
  Principal,
  ProgressUpdate,
  ToolDefinition,
  ToolResult,
  Waiting,
} from "@toolrig/core";
import { type CallBatch, isWaiting, messageOf, newId, type Refusal } from "@toolrig/core/kit";
import { BegunCall } from "./begun-call.ts";
import { CallIds } from "./call-ids.ts";
import { type Conversation, ConversationRun } from "./conversation.ts";
import type { LiveLoop } from "./live-loop.ts";
import { PeerBatches } from "./peer-batches.ts";
import { onProgress } from "./progress.ts";
import { type AssembledRig, partsOf, type RigLike } from "./rig-like.ts";
import { type GivenRun, isSameIdentity, type RunIdentity, runIdentity } from "./run-identity.ts";

/** One call of a peer. */
export interface PeerCall {
  /** As the peer or its provider knows it. */
  id: string;
  name: string;
  /**
   * The tool's own name, where the model may have been told another: what it was told of under a name is what runs, also when
   * somebody has given a tool that very name since. Default: `name`.
   */
  tool?: string | undefined;
  /** The model's own argument text where the peer shows it, else what the peer made of it. */
  arguments: unknown;
  /** False when the model was cut off. Default true. */
  complete?: boolean;
  /** "extracted" for a call that was found in text. Default "model". */
  source?: CallSource;
  signal?: AbortSignal | undefined;
  /**
   * Which response of the model it is part of, where that is known and the same when the call is repeated after a crash: it tells
   * apart calls whose ids a provider repeats, or gives by their place.
   */
  turn?: number | string | undefined;
  /** Told what the tool tells while it runs. */
  onProgress?: ((update: ProgressUpdate) => void) | undefined;
  /** What the peer gives to a tool of its own. */
  loop?: LiveLoop | undefined;
  /** See `CallOptions`. Default "hold". */
  onWaiting?: CallOptions["onWaiting"];
  /**
   * What the peer knows the response or run by that the call is part of: calls with the same one are a batch, in which a guard's
   * `stop` holds back the calls after it. Default: calls of the seat that are under way at the same time.
   */
  within?: object | string | undefined;
  /** What the peer knows the response by. Default: calls that are under way at the same time are of one. */
  response?: object | string | undefined;
}

/** One of several calls of a response. */
export interface BatchedCall extends PeerCall {
  /** Why it may not run. */
  refusal?: Refusal | undefined;
}

/** What calls of one response have in common. */
export type BatchedCalls = Pick<BatchOptions, "signal" | "onWaiting" | "reshape">;

/** What a peer's own people said about a call. */
export interface PeerAnswer {
  approved: boolean;
  /** Who that is, for the record. Not the one for whom the run is made: nobody answers for themselves. */
  by: Principal;
  reason?: string;
  /** In the place of the call's own arguments. */
  args?: unknown;
}

/** Runs without a name: nobody can go on with them once their seats are gone. */
const nameless = new FinalizationRegistry<{ executor: CallExecutor; runId: string }>(
  ({ executor, runId }) => {
    executor.forget?.(runId);
    executor.flow?.forget(runId);
  },
);

/**
 * Where a peer's loop sits on the pipeline: one run, whose calls go to one executor. Nothing here throws for what a model, a tool
 * or a guard does.
 */
export class Seat {
  readonly executor: CallExecutor;
  readonly runId: string;
  readonly #rig: AssembledRig;
  readonly #run: RunIdentity;
  /** Nothing is said of the run but its id. */
  readonly #isPlain: boolean;
  readonly #ids: CallIds;
  /** Calls that are allowed to run and wait for their peer to come for them, by their execution. */
  readonly #begun: Map<string, BegunCall>;
  readonly #conversation: ConversationRun | undefined;
  readonly #batches: PeerBatches;

  /** `beside`: a seat of the same run. `conversation`: what the run is part of, where its calls do not show what was read in it. */
  constructor(
    rig: RigLike,
    run?: GivenRun,
    { beside, conversation }: { beside?: Seat; conversation?: Conversation | undefined } = {},
  ) {
    this.#rig = partsOf(rig);
    this.executor = this.#rig.executor;
    this.#run = runIdentity(run);
    this.runId = beside?.runId ?? this.#run.runId ?? newId("run");
    this.#isPlain = Object.keys(this.#run).every((field) => field === "runId");
    this.#ids = beside === undefined ? new CallIds() : beside.#ids;
    this.#begun = beside === undefined ? new Map() : beside.#begun;
    this.#batches = beside === undefined ? new PeerBatches() : beside.#batches;
    if (beside !== undefined) this.#conversation = beside.#conversation;
    else this.#conversation = conversation && new ConversationRun(conversation);
    // All seats of a run have these, and nobody else.
    if (beside === undefined && this.#run.runId === undefined)
      nameless.register(this.#ids, { executor: this.executor, runId: this.runId });
  }

  /** This seat, or one beside it in the same run, whose calls are made for whoever this says. */
  as(run: RunIdentity): Seat {
    return isSameIdentity(run, this.#run) ? this : new Seat(this.#rig, run, { beside: this });
  }

  /** What a model is told of the tools: those that could run now. */
  definitions(): readonly ToolDefinition[] {
    return this.executor.definitions?.() ?? [];
  }

  /** The guard that follows what the run has read, to be told what only the peer knows. */
  get flow(): InformationFlow | undefined {
    return this.executor.flow;
  }

  /**
   * The execution of a call: the same whenever the peer makes the same call in the same run for the same one, in whichever process. So
   * a loop that repeats a call after a crash is given the recorded outcome.
   */
  executionId({ id, turn, arguments: args }: Pick<PeerCall, "id" | "turn" | "arguments">): string {
    const { principal } = this.#run;
    const made = turn === undefined ? plainId(id) : `${plainId(id)}@${turn}`;
    // Nobody is given the outcome of a call that was made for somebody else.
    const whose = turn === undefined ? "@@" : "@";
    const own = principal === undefined ? made : `${made}${whose}${plainId(principal.id)}`;
    return `${this.runId}/${this.#ids.of(own, args)}`;
  }

  /**
   * Puts a call on record that the peer does not run, whatever the executor would say to it: refused for this reason, or for what
   * is wrong with it, such as that nobody has the tool. Undefined for an executor elsewhere, which cannot be kept from running it.
   */
  async refuse(call: PeerCall, refusal?: Refusal): Promise<ToolResult | undefined> {
    if (this.executor.asksBeforeRun !== true) return undefined;
    const never = () => Promise.reject(new Error("the loop that asked for it does not run it."));
    return this.#make({ ...call, onWaiting: "return" }, this.executionId(call), never, refusal);
  }

  /** Calls of one response, together: one result each, in their order. Those that may not run are on record as such. */
  batch(calls: readonly BatchedCall[], options: BatchedCalls): Promise<ToolResult[]> {
    const executionIds = calls.map((call) => this.executionId(call));
    const stops = calls.map(({ onProgress: told }, index) =>
      told === undefined ? undefined : onProgress(this.executor, executionIds[index] ?? "", told),
    );
    const refusals = calls.map(({ refusal }) => refusal);
    const given: BatchOptions = { ...this.#run, runId: this.runId, executionIds, ...options };
    if (refusals.some((refusal) => refusal !== undefined)) given.refusals = refusals;
    const asked = calls.map(({ id, name, tool = name, arguments: args }) => ({
      id,
      name: tool,
      arguments: args,
    }));
    return this.#within(() => this.executor.batch(asked, given)).finally(() => {
      for (const stop of stops) stop?.();
    });
  }

  /** Exactly one result, whatever happens. A call that was begun goes on from there. */
  call(call: PeerCall): Promise<ToolResult> {
    const executionId = this.executionId(call);
    const begun = this.#begun.size === 0 ? undefined : this.#begun.get(executionId);
    if (begun === undefined && this.executor.asksBeforeRun === true)
      return this.#make(call, executionId, undefined, undefined, call.onProgress);
    // One that was begun, or runs elsewhere, is heard of by its events.
    const stop = call.onProgress && onProgress(this.executor, executionId, call.onProgress);
    const result =
      begun === undefined ? this.#make(call, executionId) : this.#release(begun, call, executionId);
    return stop === undefined ? result : result.finally(stop);
  }

  async #release(begun: BegunCall, call: PeerCall, executionId: string): Promise<ToolResult> {
    this.#begun.delete(executionId);
    if (call.loop !== undefined) begun.loop?.become(call.loop);
    const result = await begun.release(call.signal);
    const isHeld = call.onWaiting === undefined || call.onWaiting === "hold";
    return isWaiting(result) && isHeld ? this.#make(call, executionId) : result;
  }

  /**
   * Takes a call as far as it comes without running: what it waits for, if somebody has to approve it. Else it is allowed, or over
   * already, and `call` goes on with it; if that never comes, it is cancelled.
   */
  async begin(call: PeerCall): Promise<Waiting | undefined> {
    if (this.executor.asksBeforeRun !== true) return undefined;
    const executionId = this.executionId(call);
    const begun = new BegunCall(call.loop, (signal, beforeRun) =>
      this.#make({ ...call, signal, onWaiting: "return" }, executionId, beforeRun),
    );
    const early = await begun.allowed;
    if (early?.waiting?.kind === "approval") return early.waiting;
    this.#begun.get(executionId)?.cancel();
    this.#begun.set(executionId, begun);
    return undefined;
  }

  /**
   * Writes the answer of a peer's own people into the inbox, where `call` finds it. What was answered there before stays as it is.
   * Without an inbox there is nothing to write to.
   */
  async answer(
    call: Pick<PeerCall, "id" | "turn" | "arguments">,
    { approved, by, reason, args }: PeerAnswer,
  ): Promise<void> {
    const { approvals } = this.#rig;
    const executionId = this.executionId(call);
    const entry = await approvals?.store.get(executionId);
    if (approvals === undefined || entry === undefined || entry.decision !== undefined) return;
    try {
      if (approved) await approvals.approve(executionId, args === undefined ? { by } : { by, args });
      else await approvals.deny(executionId, reason === undefined ? { by } : { by, reason });
    } catch (error) {
      // A peer that runs a step again may still be writing the same answer from the last time.
      if ((await approvals.store.get(executionId))?.decision === undefined) throw error;
    }
  }

  /**
   * Goes on with a call by what a peer's own people said. An answer that does not count, by somebody who may not answer or with
   * arguments that could not run, leaves the question open: the call does not run, and is answered with why.
   */
  async callAnswered(call: PeerCall, answer: PeerAnswer): Promise<ToolResult> {
    try {
      await this.answer(call, answer);
    } catch (error) {
      const message = `${call.name} did not run: the answer about it does not count. ${messageOf(error)}`;
      const refused = await this.refuse(call, { code: "TOOL_APPROVAL_REJECTED", message });
      if (refused !== undefined) return refused;
    }
    return this.call(call);
  }

  /** Whether somebody has been asked about a call, and has answered. */
  async asked(call: Pick<PeerCall, "id" | "turn" | "arguments">): Promise<"open" | "answered" | undefined> {
    const entry = await this.#rig.approvals?.store.get(this.executionId(call));
    if (entry === undefined) return undefined;
    return entry.decision === undefined ? "open" : "answered";
  }

  /** Somebody other than the user brought something into the conversation, from where this says. */
  outsiderSaid(source: string): void {
    const { flow, runId } = this;
    if (flow === undefined) return;
    flow.outsiderSaid(runId, source);
    this.#conversation?.tell(flow, runId);
  }

  /** The run has not been used for long: what was kept to be quick is forgotten. */
  end(): void {
    for (const begun of this.#begun.values()) begun.cancel();
    this.#begun.clear();
    this.executor.forget?.(this.runId);
  }

  #make(
    call: PeerCall,
    executionId: string,
    beforeRun?: () => Promise<unknown>,
    refusal?: Refusal,
    onUpdate?: CallOptions["onUpdate"],
  ): Promise<ToolResult> {
    const {
      id,
      name,
      tool = name,
      arguments: args,
      complete,
      source,
      signal,
      loop,
      onWaiting,
      within,
      response,
    } = call;
    const options: CallOptions = this.#isPlain
      ? { runId: this.runId, executionId }
      : { ...this.#run, runId: this.runId, executionId };
    if (signal !== undefined) options.signal = signal;
    if (complete === false) options.complete = false;
    if (source !== undefined) options.source = source;
    if (loop !== undefined) options.loop = loop;
    if (onWaiting !== undefined) options.onWaiting = onWaiting;
    if (beforeRun !== undefined) options.beforeRun = beforeRun;
    if (refusal !== undefined) options.refusal = refusal;
    else options.batch = this.#batches.of(within, response);
    if (onUpdate !== undefined) options.onUpdate = onUpdate;
    const { batch } = options;
    const made = this.#within(() => this.executor.call({ id, name: tool, arguments: args }, options));
    return batch === undefined ? made : made.then((result) => stoppedWith(batch, result));
  }

  /** Calls are made by what was read in the conversation, which goes on with what they have read. */
  #within<Result>(make: () => Promise<Result>): Promise<Result> {
    const { flow, runId } = this;
    const conversation = this.#conversation;
    if (flow === undefined || conversation === undefined) return make();
    conversation.hear(flow, runId);
    return make().finally(() => conversation.tell(flow, runId));
  }
}

/** Some peers end a run only when all calls of a response ask for it, so those that are over after the stop do. */
function stoppedWith({ stopped }: CallBatch, result: ToolResult): ToolResult {
  return stopped === undefined || result.stop !== undefined ? result : { ...result, stop: stopped.reason };
}

/** An id without what ids are joined by, so that no two calls become one execution: run, turn and repeat stand apart from it. */
export function plainId(id: string): string {
  return /[%/#@]/.test(id) ? id.replaceAll(/[%/#@]/g, encodeURIComponent) : id;
}
