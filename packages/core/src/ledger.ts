import type { MaybePromise } from "./maybe-promise.ts";
import type { ToolResult } from "./result.ts";

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
}

/** What the ledger already knew of an execution when its intent was written. */
export type IntentState =
  /** Nothing: the intent is now recorded and the tool may run. */
  | { state: "new" }
  /** It was intended before and no outcome was recorded: it may or may not have run. */
  | { state: "open" }
  /** It has an outcome; the tool must not run again. */
  | { state: "done"; result: ToolResult }
  /** The id belongs to a call with another fingerprint. */
  | { state: "collision" };

/**
 * What was attempted and what became of it, for calls with side effects. A durable ledger has the intent on disk
 * before `intend` resolves: that order is what makes "never repeated silently" true across a crash.
 */
export interface Ledger {
  intend(intent: Intent): MaybePromise<IntentState>;
  /** The tool has succeeded or failed; replaying the execution returns this result. */
  complete(executionId: string, result: ToolResult): MaybePromise<void>;
  fail(executionId: string, result: ToolResult): MaybePromise<void>;
  /** The intent was withdrawn before the tool ran. */
  withdraw(executionId: string): MaybePromise<void>;
  /** Intents without an outcome. */
  open(): MaybePromise<readonly Intent[]>;
}

interface Finished {
  intent: Intent;
  result: ToolResult;
}

/** A ledger for the life of the process. Open intents are always kept; of finished ones, at least the latest `capacity`. */
export class MemoryLedger implements Ledger {
  readonly #open = new Map<string, Intent>();
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
    const known = done?.intent ?? this.#open.get(executionId);
    if (known === undefined) {
      this.#open.set(executionId, intent);
      return { state: "new" };
    }
    if (known.fingerprint !== intent.fingerprint) return { state: "collision" };
    return done === undefined ? { state: "open" } : { state: "done", result: done.result };
  }

  complete(executionId: string, result: ToolResult): void {
    const intent = this.#open.get(executionId);
    if (intent === undefined) return;
    this.#open.delete(executionId);
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(executionId, { intent, result });
  }

  fail(executionId: string, result: ToolResult): void {
    this.complete(executionId, result);
  }

  withdraw(executionId: string): void {
    this.#open.delete(executionId);
  }

  open(): Intent[] {
    return [...this.#open.values()];
  }
}
