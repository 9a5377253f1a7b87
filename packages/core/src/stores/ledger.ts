import type { CallSource } from "../call/call.ts";
import type { ToolResult } from "../call/result.ts";
import { copy } from "../copy.ts";
import { defined } from "../defined.ts";
import type { MaybePromise } from "../maybe-promise.ts";

/** A side effect that is about to be attempted. */
export interface Intent {
  readonly executionId: string;
  /** Tool, version and arguments. The same execution id with another fingerprint is a different call. */
  readonly fingerprint: string;
  readonly name: string;
  readonly version: string | undefined;
  readonly args: unknown;
  readonly callId: string;
  readonly runId: string | undefined;
  /** On whose behalf: the id of the principal. */
  readonly principal?: string | undefined;
  /** Where the call came from, for its record. Absent for a model. */
  readonly source?: CallSource | undefined;
}

/** An intent without an outcome. */
export interface OpenIntent extends Intent {
  /** When it was written, in epoch milliseconds. */
  readonly at: number;
  /** Its call runs, in a process that is alive and will close it. Nobody else may. */
  readonly running: boolean;
}

/** What the ledger already knew of an execution when its intent was written. */
export type IntentState =
  /** Nothing: the intent is now recorded and the tool may run. */
  | { state: "new" }
  /** It was intended before and no outcome was recorded: it may or may not have run. */
  | { state: "open" }
  /** It was intended by another process that is still alive: it must not run here. */
  | { state: "running" }
  /** It waits for the world, and nobody's code runs: what it waits for is in the store of waits. */
  | { state: "waiting" }
  /** It has an outcome; the tool must not run again. */
  | { state: "done"; result: ToolResult }
  /** The id belongs to a call with another fingerprint. */
  | { state: "collision" };

/**
 * What was attempted and what became of it, for calls with side effects. A durable ledger has the intent on disk
 * before `intend` resolves: that order is what makes "never repeated silently" true across a crash.
 */
export interface Ledger {
  /**
   * What the executions are kept in, where that is another object: a wrapper gives that of the ledger it wraps, so that an id
   * has one owner whichever way it comes.
   */
  readonly book?: object;
  intend(intent: Intent): MaybePromise<IntentState>;
  /**
   * The tool has succeeded or failed; replaying the execution returns this result. False when the execution had an outcome
   * before, which stays: of many who bring one, exactly one is told true.
   */
  complete(executionId: string, result: ToolResult): MaybePromise<unknown>;
  fail(executionId: string, result: ToolResult): MaybePromise<unknown>;
  /**
   * Nobody can say what became of it: it was given up, cancelled or lost while it ran. Replaying the execution returns this
   * result. An outcome that arrives after all replaces this; nothing replaces an outcome.
   */
  unknown(executionId: string, result: ToolResult): MaybePromise<unknown>;
  /** The tool's code has ended and its result is still to come: the intent is nobody's until it does. False when it is not open. */
  park?(executionId: string): MaybePromise<boolean>;
  /** The tool's code runs again: the intent is this process's. False when it does not wait. */
  unpark?(executionId: string): MaybePromise<boolean>;
  /**
   * What the caller of a parked call is given, after guards have seen it, where callers are told by the ledger. It is written
   * before the wait is put away.
   */
  settled?(executionId: string, result: ToolResult): MaybePromise<void>;
  /** The intent was withdrawn before the tool ran. */
  withdraw(executionId: string): MaybePromise<void>;
  /** The call is over here and left its intent open: it runs in no process any more. */
  release?(executionId: string): MaybePromise<void>;
  /** Intents without an outcome, oldest first; without those that wait. */
  open(): MaybePromise<readonly OpenIntent[]>;
  /**
   * The executions whose ids begin with this one's and a dot, open or over: those that its tool made among them. Without it, a tool that
   * is started again may repeat what it did through others with arguments that differ from one start to the next.
   */
  under?(executionId: string): MaybePromise<readonly NestedIntent[]>;
  /** What is known of an execution, with its result once it is over. Lets it be answered without asking guards again. */
  get?(executionId: string): MaybePromise<KnownExecution | undefined>;
}

/** A ledger that does what `own` says and leaves everything else to `ledger`, whatever that can do. */
export function wrapLedger(ledger: Ledger, own: Partial<Ledger>): Ledger {
  const inherited: Record<string, unknown> = { book: ledger.book ?? ledger };
  for (const name of METHODS) {
    const method = ledger[name] as ((...args: unknown[]) => unknown) | undefined;
    if (method !== undefined) inherited[name] = method.bind(ledger);
  }
  return { ...(inherited as unknown as Ledger), ...own };
}

const METHODS = Object.keys({
  intend: true,
  complete: true,
  fail: true,
  unknown: true,
  park: true,
  unpark: true,
  settled: true,
  withdraw: true,
  release: true,
  open: true,
  under: true,
  get: true,
} satisfies Record<Exclude<keyof Ledger, "book">, true>) as Exclude<keyof Ledger, "book">[];

/** An execution that another one may have made. */
export type NestedIntent = Pick<Intent, "executionId" | "name" | "version">;

/** What a ledger tells of an execution. */
export interface KnownExecution {
  fingerprint: string;
  principal?: string | undefined;
  /** It waits: no code runs, and there is no outcome yet. */
  waiting?: boolean | undefined;
  /** It runs, in a process that is alive. Undefined where the ledger cannot tell. */
  running?: boolean | undefined;
  result?: ToolResult | undefined;
}

interface Finished {
  intent: Intent;
  result: ToolResult;
  known: boolean;
}

/** A ledger for the life of the process. Open intents are always kept; of finished ones, at least the latest `capacity`. */
export class MemoryLedger implements Ledger {
  readonly #open = new Map<string, { intent: Intent; at: number; waiting: boolean; running: boolean }>();
  /** Two generations: when the young one is full it becomes the old one, which is dropped whole. */
  #young = new Map<string, Finished>();
  #old = new Map<string, Finished>();
  readonly #capacity: number;

  constructor(capacity = 1_000) {
    this.#capacity = capacity;
  }

  intend(intent: Intent): IntentState {
    const { executionId } = intent;
    const done = this.#young.get(executionId) ?? this.#old.get(executionId);
    const open = this.#open.get(executionId);
    const known = done?.intent ?? open?.intent;
    if (known === undefined) {
      this.#open.set(executionId, { intent, at: Date.now(), waiting: false, running: true });
      return { state: "new" };
    }
    if (known.fingerprint !== intent.fingerprint) return { state: "collision" };
    if (done !== undefined) return { state: "done", result: copy(done.result) };
    if (open === undefined || open.waiting) return { state: "waiting" };
    open.running = true;
    return { state: "open" };
  }

  complete(executionId: string, result: ToolResult): boolean {
    return this.#close(executionId, result, true);
  }

  fail(executionId: string, result: ToolResult): boolean {
    return this.#close(executionId, result, true);
  }

  unknown(executionId: string, result: ToolResult): boolean {
    return this.#close(executionId, result, false);
  }

  park(executionId: string): boolean {
    return this.#wait(executionId, true);
  }

  unpark(executionId: string): boolean {
    return this.#wait(executionId, false);
  }

  withdraw(executionId: string): void {
    this.#open.delete(executionId);
  }

  release(executionId: string): void {
    const open = this.#open.get(executionId);
    if (open !== undefined) open.running = false;
  }

  get(executionId: string): KnownExecution | undefined {
    const done = this.#young.get(executionId) ?? this.#old.get(executionId);
    const open = this.#open.get(executionId);
    const intent = done?.intent ?? open?.intent;
    if (intent === undefined) return undefined;
    const { fingerprint, principal } = intent;
    if (done !== undefined) return { fingerprint, principal, result: copy(done.result) };
    return { fingerprint, principal, ...(open?.waiting === true && { waiting: true }) };
  }

  open(): OpenIntent[] {
    const open = [...this.#open.values()].filter(({ waiting }) => !waiting);
    return open.map(({ intent, at, running }) => ({
      executionId: intent.executionId,
      fingerprint: intent.fingerprint,
      name: intent.name,
      version: intent.version,
      args: intent.args,
      callId: intent.callId,
      runId: intent.runId,
      ...defined({ principal: intent.principal, source: intent.source }),
      at,
      running,
    }));
  }

  under(executionId: string): NestedIntent[] {
    const intents = [this.#open, this.#young, this.#old].flatMap((each) =>
      [...each.values()].map(({ intent }) => intent),
    );
    return intents.filter((intent) => intent.executionId.startsWith(`${executionId}.`));
  }

  #wait(executionId: string, waiting: boolean): boolean {
    const open = this.#open.get(executionId);
    if (open === undefined || open.waiting === waiting) return false;
    open.waiting = waiting;
    return true;
  }

  #close(executionId: string, given: ToolResult, known: boolean): boolean {
    const result = copy(given);
    const closed = this.#young.get(executionId) ?? this.#old.get(executionId);
    if (closed !== undefined && !closed.known && known) {
      closed.result = result;
      closed.known = true;
      return true;
    }
    const intent = this.#open.get(executionId)?.intent;
    if (intent === undefined) return false;
    this.#open.delete(executionId);
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(executionId, { intent, result, known });
    return true;
  }
}
