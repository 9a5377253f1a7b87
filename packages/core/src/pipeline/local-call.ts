import type { BatchedCall, Stopped } from "../call/call-batch.ts";
import type { ToolResult } from "../call/result.ts";
import { isThenable, type MaybePromise } from "../maybe-promise.ts";
import { execute } from "./execute/execute.ts";
import { Execution, isResolved, type Resolved } from "./execution.ts";
import { heldBack } from "./held-back.ts";
import { prepare } from "./prepare/prepare.ts";
import { announceSettled, settle } from "./settle/settle.ts";

/** A call of a batch that runs in this process. */
export class LocalCall implements BatchedCall {
  readonly execution: Execution;
  readonly #mode: "parallel" | "sequential";
  #prepared: Resolved | undefined;
  #outcome: ToolResult | undefined;

  constructor(execution: Execution, mode: "parallel" | "sequential") {
    this.execution = execution;
    this.#mode = mode;
  }

  prepare(stopped: Stopped | undefined): MaybePromise<void> {
    const answer = prepare(this.execution, stopped);
    return isThenable(answer) ? answer.then((prepared) => this.#take(prepared)) : this.#take(answer);
  }

  get sequential(): boolean {
    return (
      this.#prepared !== undefined &&
      (this.#mode === "sequential" || this.#prepared.tool.mode === "sequential")
    );
  }

  execute(stopped: Stopped | undefined, turn?: () => MaybePromise<unknown>): MaybePromise<void> {
    const { execution } = this;
    if (this.#prepared === undefined) return;
    if (stopped !== undefined) {
      this.#outcome = heldBack(execution, stopped);
      return;
    }
    execution.turn = turn;
    return execute(this.#prepared).then((outcome) => {
      this.#outcome = outcome;
      this.#announce(outcome);
    });
  }

  settle(): MaybePromise<ToolResult> {
    const { execution } = this;
    // An earlier start of the tool that made it may have done what is only replayed now.
    const hasRun = execution.attempts > 0 || this.#outcome?.replayed === true;
    if (hasRun && isResolved(execution)) execution.parent?.didBy(execution);
    return settle(execution, this.#outcome ?? execution.failed(UNANSWERED));
  }

  /** A stop after the tool ran ends the run, and holds back nothing of the batch. */
  get stopped(): Stopped | undefined {
    const { stop, attempts, call } = this.execution;
    return stop === undefined || attempts > 0
      ? undefined
      : { callId: call.id, name: call.name, reason: stop };
  }

  /** A call that does not run is over before the others: their duration is not part of its own. */
  #take(prepared: Resolved | ToolResult): void {
    if (prepared instanceof Execution) {
      this.#prepared = prepared;
      return;
    }
    this.#outcome = prepared;
    this.execution.endedAt = this.execution.services.clock.now();
    this.#announce(prepared);
  }

  #announce(outcome: ToolResult): void {
    if ((this.execution.batch?.size ?? 1) > 1) announceSettled(this.execution, outcome);
  }
}

/** Cannot happen: every prepared call is executed. */
const UNANSWERED = { code: "TOOL_OUTCOME_UNKNOWN", message: "The call was never executed." } as const;
