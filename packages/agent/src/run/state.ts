import type { DataLabels, Principal } from "@toolrig/core";
import { type JournalEntry, type MaybePromise, Repeats } from "@toolrig/core/kit";
import { addUsage, tokensOf, type Usage } from "../model/engine.ts";
import {
  type AssistantMessage,
  callsOf,
  type Message,
  newCallId,
  type ToolCallPart,
  type ToolMessage,
  textOfMessage,
  toolMessage,
  type UserMessage,
} from "../model/message.ts";
import { Allowance } from "./allowance.ts";
import { CallsOut } from "./calls-out.ts";
import { remindFlow, tellFlow } from "./flow.ts";
import type { Recorded } from "./journal.ts";
import { labelsByFlow, labelsByTranscript } from "./labels-read.ts";
import type { RunLife } from "./life.ts";
import type { LoopEvent, LoopFact } from "./loop-event.ts";
import type { Ending, RunOutcome } from "./outcome.ts";
import { inTime } from "./patience.ts";
import type { RunEvents } from "./run-events.ts";
import type { Setup } from "./setup.ts";
import { MessageQueue } from "./steering.ts";
import type { Trace } from "./trace.ts";
import { TrimmedView } from "./trim.ts";
import { TurnSettings } from "./turn-settings.ts";

/** What a run is part of that a call of another has started. */
export interface Nesting {
  /** Of the run that made the call, where that is under way in this process. */
  readonly outer: Allowance | undefined;
  /** It is taken up where its journal ends. */
  readonly continued: boolean;
  /** Called at the beginning of each turn. */
  onTurn(turn: number): void;
}

/** Where one run of a loop stands. Whoever drives the run reads it; it changes only by the methods here. */
export class RunState {
  readonly setup: Setup;
  /** What the next turn is asked with. */
  readonly settings: TurnSettings;
  /** What waits to be said to the model. */
  readonly steering: MessageQueue;
  readonly followUps: MessageQueue;
  readonly repeats: Repeats | undefined;
  /** What it may still spend, and has spent. */
  readonly allowance: Allowance;
  /** Whether a call of another run has started it: the ids of its calls then say so. */
  readonly isNested: boolean;
  readonly #onTurn: ((turn: number) => void) | undefined;
  readonly #view: TrimmedView | undefined;
  /** Calls that are not over while the model goes on. */
  readonly out = new CallsOut();
  readonly #life: RunLife<LoopEvent, LoopFact>;
  readonly #messages: Message[] = [];
  readonly #usage: Usage = { inputTokens: 0, outputTokens: 0 };
  readonly #callIds = new Set<string>();
  #turn = 0;
  #rounds = 0;
  #calls = 0;
  #concluding = false;
  #uncounted = false;
  #unfinished: ToolMessage | undefined;
  #text = "";

  constructor(setup: Setup, life: RunLife<LoopEvent, LoopFact>, nesting?: Nesting) {
    this.setup = setup;
    this.#life = life;
    this.settings = new TurnSettings(setup, life);
    this.steering = new MessageQueue("steer", setup.steering);
    this.followUps = new MessageQueue("follow-up", setup.followUps);
    this.repeats = setup.repeats === undefined ? undefined : new Repeats(setup.repeats);
    const { callBudget: calls, tokenBudget: tokens, trimming } = setup;
    const outer = nesting?.outer && { allowance: nesting.outer, continued: nesting.continued };
    this.allowance = new Allowance(life.runId, { calls, tokens }, outer);
    this.isNested = nesting !== undefined;
    this.#onTurn = nesting?.onTurn;
    this.#view = trimming && new TrimmedView(trimming, life.patience);
  }

  get runId(): string {
    return this.#life.runId;
  }

  get trace(): Trace {
    return this.#life.trace;
  }

  get principal(): Principal | undefined {
    return this.#life.principal;
  }

  get signal(): AbortSignal {
    return this.#life.signal;
  }

  get events(): RunEvents<LoopEvent, LoopFact> {
    return this.#life.events;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** What the model is shown of them. */
  shown(): MaybePromise<readonly Message[]> {
    return this.#view?.shown() ?? this.#messages;
  }

  /** What is known of what the run has read. Where nobody can say, it is untrusted. */
  labels(): DataLabels | undefined {
    const { setup, settings, runId } = this;
    try {
      if (setup.flow !== undefined) return labelsByFlow(setup.flow, runId);
      return labelsByTranscript(this.#messages, settings.source, settings.definitions);
    } catch {
      return { integrity: "untrusted", source: runId };
    }
  }

  /** Responses so far; the number of the current turn. */
  get turn(): number {
    return this.#turn;
  }

  /** Rounds of results that were fed back. */
  get rounds(): number {
    return this.#rounds;
  }

  /** The budget of calls is used up and a call was refused for it: the model has one more turn to conclude in. */
  get isConcluding(): boolean {
    return this.#concluding;
  }

  /** Whether a response came to its end without saying what it took. */
  get isUncounted(): boolean {
    return this.#uncounted;
  }

  /** The last text the model gave. */
  get text(): string {
    return this.#text;
  }

  beginTurn(): void {
    this.#turn += 1;
    this.#onTurn?.(this.#turn);
  }

  /** A round of that many calls is being answered. */
  beginRound(calls: number): void {
    this.#rounds += 1;
    this.#calls += calls;
  }

  conclude(): void {
    this.#concluding = true;
  }

  /** The run is suspended over these results, some of which say what they wait for. */
  suspendWith(results: ToolMessage): void {
    this.#unfinished = results;
  }

  /** What the model is asked, as part of the run's time. */
  thinking<T>(asked: Promise<T>): Promise<T> {
    return this.#life.thinking(asked);
  }

  /** Tokens of responses of which nothing is kept. */
  countUsage(usage: Usage): void {
    addUsage(this.#usage, usage);
    this.allowance.spend({ tokens: tokensOf(usage) });
  }

  append(message: Message): void {
    this.#messages.push(message);
    this.#view?.add(message);
    if (message.role === "assistant") this.countResponse(message);
    else if (this.setup.flow !== undefined) tellFlow(this.setup.flow, this.runId, message);
    this.events.emit({ type: "message", turn: this.#turn, message });
  }

  /** Appends what is said to the model, and writes it down. */
  async say(messages: readonly UserMessage[]): Promise<void> {
    for (const message of messages) this.append(message);
    await this.write(messages.map((message) => ({ type: "message", turn: this.#turn, message })));
  }

  /** Takes note of what a response says and costs. */
  countResponse(message: AssistantMessage): void {
    const text = textOfMessage(message);
    if (text !== "") this.#text = text;
    if (message.usage !== undefined) this.countUsage(message.usage);
    if (message.finishReason !== "aborted" && tokensOf(message.usage) === 0) this.#uncounted = true;
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

  /** Takes over a conversation from before the run. Nothing in it counts as the run's own. */
  adoptHistory(messages: readonly Message[]): void {
    for (const message of messages) {
      this.#messages.push(message);
      this.#view?.add(message);
      if (message.role === "assistant") for (const { id } of callsOf(message)) this.#callIds.add(id);
      else if (this.setup.flow !== undefined) remindFlow(this.setup.flow, this.runId, message);
    }
  }

  /** Goes back to where the journal of an earlier life of the run, or of the run it is forked from, ends. */
  restore({ messages, turn, rounds, calls, callsRun, spent, open }: Recorded): void {
    this.#turn = turn;
    this.#rounds = rounds;
    this.#calls = calls;
    const known = (open?.results ?? []).filter((result) => result !== undefined);
    const ran = callsRun + known.filter(({ cached }) => cached !== true).length;
    this.allowance.spend({ calls: ran + spent.calls, tokens: spent.tokens });
    this.adoptHistory(messages);
    for (const message of messages) if (message.role === "assistant") this.countResponse(message);
    this.allowance.caughtUp();
    for (const result of toolMessage(known).results) this.setup.flow?.recall(this.runId, result);
  }

  /** What a hook answers. */
  ask<T>(hook: string, answer: MaybePromise<T>): MaybePromise<T> {
    return inTime(`hooks.${hook}`, answer, this.#life.patience);
  }

  write(entries: readonly JournalEntry[]): MaybePromise<void> {
    return this.#life.writer.write(entries);
  }

  /** How the run ends now that its signal has aborted. */
  aborted(): Ending {
    return { status: "aborted", error: this.#life.cancellation() };
  }

  outcomeOf(ending: Ending): RunOutcome {
    return {
      ...ending,
      runId: this.runId,
      text: this.#text,
      messages: this.#unfinished === undefined ? this.#messages : [...this.#messages, this.#unfinished],
      usage: this.#usage,
      turns: this.#turn,
      calls: this.#calls,
      ...(this.#view !== undefined && { trimmed: { ...this.#view.trimmed } }),
      undelivered: [...this.steering.takeAll(), ...this.followUps.takeAll()],
    };
  }
}
