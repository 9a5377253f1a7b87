import type { FailureInput } from "../failure/failure.ts";
import { newId } from "../ids.ts";
import { isThenable, type MaybePromise } from "../maybe-promise.ts";
import type { ToolResult } from "./result.ts";

/** The calls of one turn: all of the batch, or those that are under way at the same time. */
export type Turns = "batch" | "under way";

/** The call with which a guard or hook ended the run. */
export interface Stopped {
  readonly callId: string;
  readonly name: string;
  readonly reason: string;
}

/** The failure of a call that is held back because a call before it stopped the run. */
export function heldBackBy({ callId, name, reason }: Stopped): FailureInput {
  return {
    code: "TOOL_BLOCKED",
    message: `The call did not run: ${name}, which was called before it, stopped the run (${reason}).`,
    details: { stoppedBy: callId },
  };
}

/** One call of a batch, in the phases that every way of running calls has. No phase rejects. */
export interface BatchedCall {
  /** Takes the call past its guards, or to its end. Called in source order, for one call at a time. With `stopped`, the call must not run. */
  prepare(stopped: Stopped | undefined): MaybePromise<unknown>;
  /** Whether the call must not run beside others. Read once the call is prepared. */
  readonly sequential: boolean;
  /** Runs the call if it may run. `turn` is awaited right before the tool's code starts. With `stopped`, a call that has not started must not run. */
  execute(stopped: Stopped | undefined, turn?: () => MaybePromise<unknown>): MaybePromise<unknown>;
  /** Returns the result. Called in source order for a batch that is given at once. */
  settle(): MaybePromise<ToolResult>;
  /** Set once a guard or hook has ended the run before this call ran. */
  readonly stopped: Stopped | undefined;
}

/**
 * Runs calls that are given at once. Guards judge them in source order before a later call starts, results come in source order,
 * and a call that stops the run holds back the calls after it. Only `execute` is concurrent, unless the mode or one of the calls
 * is sequential.
 */
export async function runBatch(
  batch: readonly BatchedCall[],
  mode: "parallel" | "sequential",
): Promise<ToolResult[]> {
  let stopped: Stopped | undefined;
  for (const each of batch) {
    const preparing = each.prepare(stopped);
    if (isThenable(preparing)) await preparing;
    stopped ??= each.stopped;
  }
  if (mode === "sequential" || batch.some(({ sequential }) => sequential)) await executeInTurn(batch);
  else await Promise.all(batch.map((each) => each.execute(undefined)));
  const results: ToolResult[] = [];
  for (const each of batch) results.push(await each.settle());
  return results;
}

/** An approver's edit is judged while the call executes, so a call can stop the run here, too. */
async function executeInTurn(batch: readonly BatchedCall[]): Promise<void> {
  let stopped: Stopped | undefined;
  for (const each of batch) {
    await each.execute(stopped);
    stopped ??= each.stopped;
  }
}

/**
 * A batch whose calls arrive one at a time: those of a tool or script, of the steps of a plan, of another framework's loop. The rules
 * are those of `runBatch`: guards judge one call at a time, in order of arrival; a sequential call waits for the calls before it and
 * holds up the calls after it; once a call has stopped the run, later calls do not run.
 */
export class CallBatch {
  /** Resolves when the latest arrival is prepared. Undefined when no call is being prepared. */
  #line: Promise<unknown> | undefined;
  /** Resolves when the latest sequential call is over. */
  #alone: Promise<unknown> | undefined;
  /** Calls that run beside others, since the latest sequential call. */
  readonly #beside = new Set<Promise<unknown>>();
  #stopped: Stopped | undefined;
  #size = 0;
  #turn: string | undefined;
  readonly #turns: Turns | undefined;

  /** `turns`: what the calls of one turn are, for guards that count by turn. Default: each call is a turn of its own. */
  constructor(turns?: Turns) {
    this.#turns = turns;
  }

  /** Calls that arrive from here on are of another turn. */
  nextTurn(): void {
    this.#turn = undefined;
  }

  /** The turn of a call that arrives now. */
  turn(): string | undefined {
    if (this.#turns === undefined) return undefined;
    if (this.#turn === undefined || (this.#turns === "under way" && this.isIdle)) this.#turn = newId("turn");
    return this.#turn;
  }

  /** Set once a guard or hook has ended the run. */
  get stopped(): Stopped | undefined {
    return this.#stopped;
  }

  /** Whether no call of the batch is under way. */
  get isIdle(): boolean {
    return this.#size === 0;
  }

  /** Resolves when all calls that run now are over. */
  async over(): Promise<void> {
    await Promise.all([this.#alone, ...this.#beside]);
  }

  /** Runs one call as part of the batch. An aborted call does not wait for the calls before it. */
  async run(each: BatchedCall, signal?: AbortSignal): Promise<ToolResult> {
    this.#size += 1;
    let leave: (() => void) | undefined;
    try {
      const preparing = this.#prepare(each, signal);
      if (isThenable(preparing)) await preparing;
      const turn = () => {
        const entered = this.#enter(each.sequential);
        leave = entered.leave;
        return entered.turn;
      };
      await each.execute(undefined, turn);
      this.#note(each);
      const result = await each.settle();
      if (result.stop !== undefined)
        this.#stopped ??= { callId: result.callId, name: result.name, reason: result.stop };
      return result;
    } finally {
      leave?.();
      this.#size -= 1;
    }
  }

  /** The stop is noted before the next call in line is prepared. */
  #prepare(each: BatchedCall, signal: AbortSignal | undefined): MaybePromise<unknown> {
    const before = this.#line;
    const preparing =
      before === undefined
        ? each.prepare(this.#stopped)
        : unlessAborted(before, signal).then(() => each.prepare(this.#stopped));
    if (!isThenable(preparing)) return this.#note(each);
    const prepared = preparing.then(() => this.#note(each));
    const line: Promise<unknown> = before === undefined ? prepared : Promise.all([before, prepared]);
    this.#line = line;
    void line.then(() => {
      if (this.#line === line) this.#line = undefined;
    });
    return prepared;
  }

  #note({ stopped }: BatchedCall): void {
    this.#stopped ??= stopped;
  }

  /** `turn` is undefined when the call may start at once. */
  #enter(sequential: boolean): { turn: MaybePromise<unknown>; leave: () => void } {
    const turn = sequential ? this.over() : this.#alone;
    let leave = () => {};
    const over = new Promise<void>((resolve) => {
      leave = resolve;
    });
    if (sequential) {
      // Later calls wait for this one, and through it for those before it.
      this.#beside.clear();
      const alone = Promise.all([turn, over]);
      this.#alone = alone;
      void alone.then(() => {
        if (this.#alone === alone) this.#alone = undefined;
      });
    } else {
      this.#beside.add(over);
      void over.then(() => this.#beside.delete(over));
    }
    return { turn, leave };
  }
}

/** Resolves with `pending`, or as soon as the signal aborts. */
function unlessAborted(pending: Promise<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
  if (signal === undefined) return pending;
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener("abort", done);
      resolve(undefined);
    };
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
    void pending.then(done);
  });
}
