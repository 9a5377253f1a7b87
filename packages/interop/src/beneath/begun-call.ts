import type { ToolResult } from "@toolrig/core";
import type { LiveLoop } from "./live-loop.ts";

/** How long a call that is allowed to run waits for its peer. Peers that come, come at once. */
const UNCLAIMED_MS = 60_000;

/** A call on its way, which stops before its tool runs until somebody comes for it. */
export class BegunCall {
  /** What the peer gave to the call when it was begun. */
  readonly loop: LiveLoop | undefined;
  /** Undefined once it may run; its result when that came first. Never rejects. */
  readonly allowed: Promise<ToolResult | undefined>;
  readonly #cancel = new AbortController();
  readonly #result: Promise<ToolResult>;
  readonly #unclaimed: ReturnType<typeof setTimeout>;
  #release: () => void = () => {};

  constructor(
    loop: LiveLoop | undefined,
    make: (signal: AbortSignal, beforeRun: () => Promise<void>) => Promise<ToolResult>,
  ) {
    this.loop = loop;
    const released = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    let reached: () => void;
    const ready = new Promise<undefined>((resolve) => {
      reached = () => resolve(undefined);
    });
    this.#result = make(this.#cancel.signal, () => {
      reached();
      return released;
    });
    this.allowed = Promise.race([this.#result, ready]);
    this.#unclaimed = setTimeout(() => this.cancel(), UNCLAIMED_MS);
    this.#unclaimed.unref?.();
  }

  /** Lets it run. From here on it is cancelled by whoever came for it. */
  async release(signal: AbortSignal | undefined): Promise<ToolResult> {
    clearTimeout(this.#unclaimed);
    const cancel = () => this.cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted === true) this.cancel();
    this.#release();
    try {
      return await this.#result;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  cancel(): void {
    clearTimeout(this.#unclaimed);
    this.#cancel.abort();
  }
}
