import type { Degree, Repair } from "@toolrig/json";
import type { Failure } from "../failure/failure.ts";
import type { ThrownError } from "../failure/thrown.ts";
import type { CallSource } from "./call.ts";
import type { Deed } from "./effects.ts";
import type { Principal } from "./principal.ts";
import type { LogLevel, ProgressUpdate } from "./progress.ts";
import type { ToolResult } from "./result.ts";
import type { TraceCarrier } from "./trace.ts";
import type { Waiting } from "./waiting.ts";

/** What every event of a call carries, so that one can be traced from the request to the effect. */
export interface Correlation {
  executionId: string;
  callId: string;
  name: string;
  runId?: string;
  requestId?: string;
  stepName?: string;
  /** The execution that made this call, for calls that tools make. */
  parentId?: string;
}

interface CallEventBase extends Correlation {
  /** Grows by one with every event of a stream. */
  seq: number;
  /** Epoch milliseconds. */
  at: number;
  /** `seq` of the `call.start` that it belongs to: two calls may come under one execution id. */
  startSeq?: number;
}

/** Facts of one call. `call.start` comes first, `call.end` exactly once; only `call.late` may follow it. */
export type CallEvent = CallEventBase & CallFact;

export type CallFact =
  | {
      type: "call.start";
      arguments: unknown;
      source: CallSource;
      principal?: Principal;
      /** The trace that it is part of, where whoever made it said so. */
      trace?: TraceCarrier;
    }
  | { type: "call.repaired"; repairs: readonly Repair[]; mode: "repaired" | "partial"; degree: Degree }
  | { type: "call.verdict"; guard: string; verdict: string; reason?: string; phase: "before" | "after" }
  | { type: "call.attempt"; attempt: number; args: unknown }
  | { type: "call.update"; update: ProgressUpdate }
  | { type: "call.log"; level: LogLevel; message: string; data?: unknown }
  | { type: "call.retry"; attempt: number; delayMs: number; failure: Failure }
  /** The tool's code threw an error: for people, with its stack. What it means for the call is in its failure. */
  | { type: "call.error"; attempt: number; error: ThrownError }
  | { type: "call.unrecorded"; message: string }
  /** It waits for the world. With `parked` nothing of it stays in memory: whoever goes on with it tells its `story`. */
  | { type: "call.waiting"; waiting: Waiting; parked: boolean }
  | {
      type: "call.resumed";
      waiting: Waiting;
      how: string;
      waitedMs: number;
      by?: Principal;
      story?: CallStory;
    }
  /**
   * A call of a batch is over, whatever the others still wait for. Unordered; what guards make of the result, and the
   * result that the caller gets, come with `call.end` in source order.
   */
  | ({ type: "call.settled" } & Ended)
  | ({ type: "call.end" } & Ended)
  | { type: "call.late"; afterMs: number; isError: boolean; value?: unknown; message?: string };

/** What was told of a call before it was parked. */
export interface CallStory {
  rawArguments: unknown;
  source: CallSource;
  principal?: Principal;
  /** When the tool's code first ran. Epoch milliseconds. */
  attemptedAt?: number;
  facts: readonly CallFact[];
  /** Of the execution before it was parked. */
  trace?: TraceCarrier;
}

/** What became of a call. */
interface Ended {
  result: ToolResult;
  args: unknown;
  version?: string;
  /** SHA-256 of the tool's definition, in hex. */
  definitionHash?: string;
  startedAt: number;
  /** When it was ready to run; absent for a call that never was. */
  preparedAt?: number;
  endedAt: number;
  /** What the tool did through calls that it made, where that is more than it declares. */
  did?: Deed;
}

export type EventType = CallFact["type"];

export type Listener<Event> = (event: Event) => unknown;

/** A listener, and what it wants to hear. */
interface Wish<Event> {
  listener: Listener<Event>;
  /** Undefined is all. */
  type: string | undefined;
  keeps: boolean;
}

/** Of all who listen. */
type Interest = "keeps" | "wants" | "none";

/** Where events can be kept. `append` must not throw and must not wait. */
export interface EventLog<Event = CallEvent> {
  append(event: Event): void;
}

/**
 * The one ordered stream of facts. Listeners are called in order, at once, and never awaited; one that throws or
 * rejects is counted and otherwise ignored, so that watching a call can never change it. What they are told is data, and
 * frozen: dates, maps, bytes and instances of classes are there as JSON would have them.
 */
export class EventStream<Event extends { type: string } = CallEvent> {
  /** In the order in which they came. */
  readonly #wishes = new Set<Wish<Event>>();
  /** By type, for as long as the same ones listen. */
  readonly #interests = new Map<string, Interest>();
  readonly #waiting: Event[] = [];
  #emitting = false;
  #seq = 0;
  #faults = 0;

  /** Whether anyone listens: emitters skip building events when not. */
  get active(): boolean {
    return this.#wishes.size > 0;
  }

  /** Whether anyone listens to events of a type: others are numbered and not built. */
  wants(type: Event["type"]): boolean {
    return this.#interestIn(type) !== "none";
  }

  /** Whether any of them may keep what it is given: only then is it a copy, and frozen. */
  keeps(type: Event["type"]): boolean {
    return this.#interestIn(type) === "keeps";
  }

  #interestIn(type: Event["type"]): Interest {
    let interest = this.#interests.get(type);
    if (interest === undefined) {
      const heard = [...this.#wishes].filter((wish) => wish.type === undefined || wish.type === type);
      interest = heard.some(({ keeps }) => keeps) ? "keeps" : heard.length > 0 ? "wants" : "none";
      this.#interests.set(type, interest);
    }
    return interest;
  }

  /** How many times a listener threw or rejected. */
  get faults(): number {
    return this.#faults;
  }

  nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  /** Listens to all events, or to those of one type. Returns how to stop. */
  on(listener: Listener<Event>): () => void;
  on<Type extends Event["type"]>(type: Type, listener: Listener<Extract<Event, { type: Type }>>): () => void;
  on(first: string | Listener<Event>, second?: Listener<never>): () => void {
    const listener: Listener<Event> =
      typeof first === "function" ? first.bind(undefined) : (event) => second?.(event as never);
    return this.#add({ listener, type: typeof first === "function" ? undefined : first, keeps: true });
  }

  /**
   * Listens to events of one type to count them: what it is given may be what the call itself works with, so it must change
   * nothing and keep nothing of it. Returns how to stop.
   */
  watch<Type extends Event["type"]>(
    type: Type,
    listener: Listener<Extract<Event, { type: Type }>>,
  ): () => void {
    return this.#add({ listener: (event) => listener(event as never), type, keeps: false });
  }

  #add(wish: Wish<Event>): () => void {
    this.#wishes.add(wish);
    this.#interests.clear();
    return () => {
      this.#wishes.delete(wish);
      this.#interests.clear();
    };
  }

  /** An event that a listener causes waits until every listener has had the one before it. */
  emit(event: Event): void {
    if (this.#emitting) {
      this.#waiting.push(event);
      return;
    }
    this.#emitting = true;
    this.#deliver(event);
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      this.#deliver(next);
    this.#emitting = false;
  }

  #deliver(event: Event): void {
    for (const { listener, type } of this.#wishes) {
      if (type !== undefined && type !== event.type) continue;
      try {
        const answer = listener(event);
        if (answer instanceof Promise) answer.catch(() => this.#fault());
      } catch {
        this.#fault();
      }
    }
  }

  #fault(): void {
    this.#faults += 1;
  }
}

/** The latest events, oldest dropped first and counted. */
export class MemoryEventLog<Event = CallEvent> implements EventLog<Event> {
  readonly #ring: Event[] = [];
  readonly #capacity: number;
  #next = 0;
  #dropped = 0;

  constructor(capacity = 10_000) {
    this.#capacity = capacity;
  }

  get dropped(): number {
    return this.#dropped;
  }

  append(event: Event): void {
    if (this.#ring.length < this.#capacity) {
      this.#ring.push(event);
      return;
    }
    this.#ring[this.#next] = event;
    this.#next = (this.#next + 1) % this.#capacity;
    this.#dropped += 1;
  }

  /** Oldest first. */
  events(): Event[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
  }
}
