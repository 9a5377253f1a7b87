import type { CallEvent, EventStream } from "@toolrig/core";

/**
 * Hands the executor's events to the runs they belong to. Listens only while a run wants them, so that an executor
 * nobody watches builds no events; one listener serves any number of runs.
 */
export class CallEvents {
  readonly #stream: EventStream;
  readonly #takers = new Map<string, (event: CallEvent) => void>();
  #stop: (() => void) | undefined;

  constructor(stream: EventStream) {
    this.#stream = stream;
  }

  subscribe(runId: string, take: (event: CallEvent) => void): void {
    this.#takers.set(runId, take);
    this.#stop ??= this.#stream.on((event) => {
      if (event.runId !== undefined) this.#takers.get(event.runId)?.(event);
    });
  }

  unsubscribe(runId: string): void {
    if (!this.#takers.delete(runId) || this.#takers.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }
}
