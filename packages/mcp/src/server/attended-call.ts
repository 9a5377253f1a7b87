import type { ToolResult } from "@toolrig/core";

/** A call that may come to wait with its code in memory, which its promise does not say. It is then its client's to come back for. */
export class AttendedCall {
  readonly callId: string;
  /** Its result, from when it was first seen to wait. */
  kept: Promise<ToolResult> | undefined;
  readonly #cancel = new AbortController();
  #executionId: string | undefined;
  #resolve: ((executionId: string) => void) | undefined;

  constructor(callId: string) {
    this.callId = callId;
  }

  /** Of the call: not that of the request which began it, for that is over when the client is asked. */
  get signal(): AbortSignal {
    return this.#cancel.signal;
  }

  readonly cancel = (): void => this.#cancel.abort();

  /** Whoever gives up the request gives up the call, until the function that is given back is called. */
  during(request: AbortSignal): () => void {
    if (request.aborted) this.cancel();
    request.addEventListener("abort", this.cancel, { once: true });
    return () => request.removeEventListener("abort", this.cancel);
  }

  readonly tell = (executionId: string): void => {
    this.#executionId = executionId;
    this.#resolve?.(executionId);
  };

  /** The result; or the execution, when it waits in memory before there is one. */
  async first(pending: Promise<ToolResult>): Promise<ToolResult | string> {
    if (this.#executionId !== undefined) return this.#take(this.#executionId);
    const told = new Promise<string>((resolve) => {
      this.#resolve = resolve;
    });
    const first = await Promise.race([pending, told]);
    return typeof first === "string" ? this.#take(first) : first;
  }

  /** Each is told once: the next is another. */
  #take(executionId: string): string {
    this.#executionId = undefined;
    return executionId;
  }
}
