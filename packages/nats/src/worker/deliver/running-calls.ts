import type { CallMessage } from "../../wire/messages.ts";
import { TransientMap } from "../../wire/transient-map.ts";
import type { Delivered } from "./delivered.ts";
import type { Claim } from "./still-claimed.ts";

/** A call that this process is at. */
export interface RunningCall {
  readonly message: Delivered;
  readonly call: CallMessage;
  /** Aborts when its caller cancels it. */
  readonly abort: AbortController;
  readonly progress: Progress;
}

/** Where a call is, and what tells its updates apart. */
interface Progress {
  /** Which start of the call this is; the ledger tells. */
  attempt: number;
  /** How many updates of it there were. */
  updates: number;
  claim?: Claim;
}

/** The calls that this process is at, each of them once. */
export class RunningCalls {
  readonly #byKey = new TransientMap<string, RunningCall>();
  readonly #byExecution = new TransientMap<string, RunningCall>();
  #givenUp = false;
  #onIdle: (() => void) | undefined;

  get size(): number {
    return this.#byKey.size;
  }

  /** Undefined when the call is here already. */
  begin(message: Delivered, call: CallMessage): RunningCall | undefined {
    if (this.has(call.key) || this.#byExecution.has(call.pipelineId)) return undefined;
    const progress: Progress = { attempt: 1, updates: 0 };
    const begun = { message, call, abort: new AbortController(), progress };
    this.#byKey.add(call.key, begun);
    this.#byExecution.add(call.pipelineId, begun);
    return begun;
  }

  end({ key, pipelineId }: CallMessage): void {
    this.#byKey.take(key);
    this.#byExecution.take(pipelineId);
    if (this.size === 0) this.#onIdle?.();
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** By the id that the pipeline knows it by. */
  ofExecution(pipelineId: string): RunningCall | undefined {
    return this.#byExecution.get(pipelineId);
  }

  cancel(key: string): void {
    this.#byKey.get(key)?.abort.abort();
  }

  /** Tells the server that each is still being worked on. */
  renew(): void {
    for (const { message } of this.#byKey.values()) message.working();
  }

  /** Resolves true when nothing runs, or false after `timeoutMs`. */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.size === 0) return true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  /** From now on what is cut off goes back to the queue, if it may run again, or is answered as unknown. */
  giveUp(): void {
    this.#givenUp = true;
  }

  get givenUp(): boolean {
    return this.#givenUp;
  }
}
