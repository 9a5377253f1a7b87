import type { Principal } from "@toolrig/core";
import { ToolrigError } from "@toolrig/core";
import type { JournalEntry, MaybePromise } from "@toolrig/core/kit";
import { messageOf, newId, Repeats } from "@toolrig/core/kit";
import { addUsage, type Engine, type EngineRequest, type Usage } from "../model/engine.ts";
import {
  type AssistantMessage,
  callsOf,
  type Message,
  newCallId,
  type ToolCallPart,
  textOfMessage,
  type UserMessage,
} from "../model/message.ts";
import { remindFlow, tellFlow } from "../run/flow.ts";
import type { LoopEvent, LoopFact } from "../run/loop-event.ts";
import type { Ending, RunError, RunOutcome } from "../run/outcome.ts";
import { RunEvents } from "../run/run-events.ts";
import { RunWriter } from "../run/run-writer.ts";
import type { Setup } from "../run/setup.ts";
import { MessageQueue, type SayOptions, type UserInput } from "../run/steering.ts";
import type { Toolset } from "../run/toolset.ts";
import type { Trace } from "../run/trace.ts";
import type { RunOptions } from "./options.ts";

/** A run under way. Reading its events is optional: unread they cost nothing, and they never hold up the run. */
export interface Run<Outcome = RunOutcome> extends AsyncIterable<LoopEvent> {
  readonly runId: string;
  /** Resolves when the run is over. Never rejects. */
  readonly outcome: Promise<Outcome>;
  /** The transcript so far, growing. */
  readonly messages: readonly Message[];
  /** Delivered as soon as the calls under way are answered. False when the run is over. */
  steer(input: UserInput, options?: SayOptions): boolean;
  /** Delivered when the model has nothing more to do, in place of the end. False when the run is over. */
  followUp(input: UserInput, options?: SayOptions): boolean;
  /** Ends the run. Calls under way are cancelled and answered. */
  abort(reason?: string): void;
}

/** What a run is about. */
export interface Task {
  input: unknown;
  resumed: boolean;
  /** From the start to the end. What it throws fails the run. */
  live(run: LoopRun): Promise<Ending>;
}

/** The state of one run, and the ways to change it. */
export class LoopRun implements Run {
  readonly setup: Setup;
  readonly trace: Trace;
  readonly principal: Principal | undefined;
  readonly writer: RunWriter;
  readonly messages: Message[] = [];
  readonly events: RunEvents<LoopEvent, LoopFact>;
  readonly outcome: Promise<RunOutcome>;
  readonly steering: MessageQueue;
  readonly followUps: MessageQueue;
  readonly repeats: Repeats | undefined;
  readonly usage: Usage = { inputTokens: 0, outputTokens: 0 };
  /** What `prepareTurn` may have changed. */
  engine: Engine;
  system: string | undefined;
  toolset: Toolset;
  only: ReadonlySet<string> | undefined;
  responseFormat: EngineRequest["responseFormat"] | undefined;
  /** Responses so far; the number of the current turn. */
  turn = 0;
  /** Rounds of results that were fed back. */
  rounds = 0;
  calls = 0;
  callsRun = 0;
  text = "";
  readonly #controller = new AbortController();
  readonly #callIds = new Set<string>();
  #outerSignal: AbortSignal | undefined;
  #timer: unknown;
  #timedOut = false;
  #over = false;

  constructor(setup: Setup, options: RunOptions, task: Task) {
    this.setup = setup;
    this.engine = setup.engine;
    this.system = setup.system;
    this.toolset = setup.toolset;
    const { runId = newId("run"), requestId = newId("req"), stepName, parentId } = options;
    this.trace = {
      runId,
      requestId,
      ...(stepName !== undefined && { stepName }),
      ...(parentId !== undefined && { parentId }),
    };
    this.writer = new RunWriter(setup.journal, runId);
    this.principal = options.principal;
    this.steering = new MessageQueue("steer", setup.steering);
    this.followUps = new MessageQueue("follow-up", setup.followUps);
    this.repeats = setup.repeats === undefined ? undefined : new Repeats(setup.repeats);
    this.events = new RunEvents(this.trace, setup.clock, setup.listeners, () => this.#watchCalls());
    this.#linkSignal(options.signal);
    // One step later, so that whoever reads the events is there for the first one.
    this.outcome = Promise.resolve().then(() => this.#live(task));
  }

  get runId(): string {
    return this.trace.runId;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.asyncIterator](): AsyncIterator<LoopEvent, undefined> {
    return this.events.open();
  }

  steer(input: UserInput, options?: SayOptions): boolean {
    if (this.#over) return false;
    this.steering.add(input, options);
    if (options?.untrusted === undefined && options?.keepApprovals !== true) this.#supersedeApprovals();
    return true;
  }

  followUp(input: UserInput, options?: SayOptions): boolean {
    if (!this.#over) this.followUps.add(input, options);
    return !this.#over;
  }

  abort(reason = "The run was aborted."): void {
    if (!this.#over) this.#controller.abort(new DOMException(reason, "AbortError"));
  }

  useToolset(toolset: Toolset): void {
    if (toolset === this.toolset) return;
    this.toolset.calls.unsubscribe(this.runId);
    this.toolset = toolset;
    if (this.events.active) this.#watchCalls();
  }

  append(message: Message): void {
    this.messages.push(message);
    if (message.role === "assistant") this.recall(message);
    else if (this.setup.flow !== undefined) tellFlow(this.setup.flow, this.runId, message);
    this.events.emit({ type: "message", turn: this.turn, message });
  }

  /** Appends messages to the transcript and writes them down. */
  async say(messages: readonly UserMessage[]): Promise<void> {
    for (const message of messages) this.append(message);
    await this.write(messages.map((message) => ({ type: "message", turn: this.turn, message })));
  }

  write(entries: readonly JournalEntry[]): MaybePromise<void> {
    return this.writer.write(entries);
  }

  /** The calls of a message, each with an id that no other call of the run has. */
  claimCalls(message: AssistantMessage): ToolCallPart[] {
    const calls = callsOf(message);
    for (const call of calls) {
      if (this.#callIds.has(call.id)) call.id = newCallId();
      this.#callIds.add(call.id);
    }
    return calls;
  }

  /** How the run ends now that its signal has aborted. */
  aborted(): Ending {
    const { reason } = this.signal;
    const error: RunError = this.#timedOut
      ? { code: "CANCELLED_TIMEOUT", message: messageOf(reason) }
      : { code: "CANCELLED_SIGNAL", message: messageOf(reason) };
    return { status: "aborted", error };
  }

  /** Takes over messages from before the run, or from an earlier life of it. */
  adopt(messages: readonly Message[]): void {
    for (const message of messages) {
      this.messages.push(message);
      if (message.role === "assistant") for (const { id } of callsOf(message)) this.#callIds.add(id);
      else if (this.setup.flow !== undefined) remindFlow(this.setup.flow, this.runId, message);
    }
  }

  /** Counts a response of the run. */
  recall(message: AssistantMessage): void {
    const text = textOfMessage(message);
    if (text !== "") this.text = text;
    if (message.usage !== undefined) addUsage(this.usage, message.usage);
  }

  /** A store that cannot be written to leaves the questions open and the calls waiting: the safe side. */
  #supersedeApprovals(): void {
    this.setup.approvals?.supersede(this.runId).catch(() => {});
  }

  #watchCalls(): void {
    this.toolset.calls.subscribe(this.runId, (event) => this.events.forward(event));
  }

  #linkSignal(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    this.#outerSignal = signal;
    if (signal.aborted) this.#onOuterAbort();
    else signal.addEventListener("abort", this.#onOuterAbort, { once: true });
  }

  readonly #onOuterAbort = () => this.#controller.abort(this.#outerSignal!.reason);

  async #live(task: Task): Promise<RunOutcome> {
    const { clock, timeBudgetMs } = this.setup;
    if (timeBudgetMs !== undefined) this.#timer = clock.set(() => this.#timeUp(timeBudgetMs), timeBudgetMs);
    this.events.emit({ type: "run.start", input: task.input, resumed: task.resumed });
    let ending: Ending;
    try {
      ending = await task.live(this);
    } catch (error) {
      const code = ToolrigError.isInstance(error) ? error.code : "ORCHESTRATION_FAILED";
      ending = { status: "failed", error: { code, message: messageOf(error) } };
    }
    return this.#end(ending);
  }

  #timeUp(ms: number): void {
    this.#timedOut = true;
    this.#controller.abort(
      new DOMException(`The run took longer than its budget of ${ms}ms.`, "TimeoutError"),
    );
  }

  async #end(ending: Ending): Promise<RunOutcome> {
    this.#over = true;
    const { text, messages, usage, calls, turn: turns, runId } = this;
    try {
      await this.write([{ type: "end", outcome: { ...ending, text } }]);
    } catch {
      // The outcome stands; a run whose end is not written down can be resumed, and then ends again.
    }
    const undelivered = [...this.steering.takeAll(), ...this.followUps.takeAll()];
    const outcome: RunOutcome = { ...ending, runId, text, messages, usage, turns, calls, undelivered };
    if (this.#timer !== undefined) this.setup.clock.clear(this.#timer);
    this.#outerSignal?.removeEventListener("abort", this.#onOuterAbort);
    this.events.end({ type: "run.end", outcome });
    this.toolset.calls.unsubscribe(runId);
    this.setup.selection?.forget(runId);
    this.setup.flow?.forget(runId);
    (this.toolset.executor as { forget?: (runId: string) => void }).forget?.(runId);
    return outcome;
  }
}
