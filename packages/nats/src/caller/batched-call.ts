import type { ToolCall, ToolResult } from "@toolrig/core";
import {
  type BatchedCall,
  failedResult,
  heldBackBy,
  type MaybePromise,
  type Stopped,
} from "@toolrig/core/kit";

interface Parts {
  call: ToolCall;
  executionId: string;
  /**
   * When the call is sent: "judged" sends it once the calls before it have passed their guards, "whole" runs it to its end before
   * the next call is sent, "later" sends it with the others.
   */
  sends(): MaybePromise<"judged" | "whole" | "later">;
  /** Sends the call and waits for its result. `onAllowed` is called once its worker's guards have let it pass. Never rejects. */
  run(onAllowed: (() => void) | undefined): Promise<ToolResult>;
  /** Called with the result, in source order. */
  conclude(result: ToolResult): void;
}

/** A call of a batch that runs on a worker, whose guards judge it there. */
export class RemoteBatchedCall implements BatchedCall {
  /** Order is kept by when calls are sent. */
  readonly sequential = false;
  readonly #parts: Parts;
  #running: Promise<unknown> | undefined;
  #result: ToolResult | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async prepare(stopped: Stopped | undefined): Promise<void> {
    if (stopped !== undefined) return this.#holdBack(stopped);
    const sends = await this.#parts.sends();
    if (sends === "whole") await this.#send();
    else if (sends === "judged")
      await new Promise<void>((resolve) => void this.#send(resolve).then(() => resolve()));
  }

  async execute(stopped: Stopped | undefined, turn?: () => MaybePromise<unknown>): Promise<void> {
    if (this.#result !== undefined) return;
    if (stopped !== undefined && this.#running === undefined) return this.#holdBack(stopped);
    await turn?.();
    await (this.#running ?? this.#send());
  }

  settle(): ToolResult {
    const { call, executionId, conclude } = this.#parts;
    const unknown = { code: "TOOL_OUTCOME_UNKNOWN", message: "The call was never sent." } as const;
    const result = this.#result ?? failedResult(call, executionId, unknown);
    conclude(result);
    return result;
  }

  /** A stop after the tool ran ends the run, and holds back nothing of the batch. */
  get stopped(): Stopped | undefined {
    const { stop, attempts, replayed, callId, name } = this.#result ?? {};
    if (stop === undefined || attempts !== 0 || replayed === true) return undefined;
    return { callId: callId ?? "", name: name ?? "", reason: stop };
  }

  #send(onAllowed?: () => void): Promise<unknown> {
    this.#running = this.#parts.run(onAllowed).then((result) => {
      this.#result = result;
    });
    return this.#running;
  }

  #holdBack(stopped: Stopped): void {
    const { call, executionId } = this.#parts;
    this.#result = failedResult(call, executionId, heldBackBy(stopped));
  }
}
