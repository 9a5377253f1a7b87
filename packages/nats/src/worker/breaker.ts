import type { ToolResult } from "@toolrig/core";
import { Circuits } from "@toolrig/core/kit";

export interface BreakerOptions {
  /** Fatal failures of a tool in a row after which this worker stops taking its calls. 0: never. */
  failures: number;
  /** For how long. Then one more fatal failure is enough to stop again. */
  cooldownMs: number;
}

/**
 * Says which tools a worker does not take calls of for now: something may be wrong with this machine that is not wrong with
 * others, so calls are left to them for a while. What the model or the world did wrong does not count.
 */
export class Breaker {
  readonly #circuits: Circuits;
  readonly #cooldownMs: number;
  readonly #listeners = new Set<() => void>();

  constructor({ failures, cooldownMs }: BreakerOptions) {
    const counts = (kind: string) => failures > 0 && kind === "fatal";
    this.#circuits = new Circuits({ failures, cooldownMs, counts });
    this.#cooldownMs = cooldownMs;
  }

  /** Takes note of what came of a call. */
  observe(tool: string, result: ToolResult): void {
    if (!this.#circuits.observe(tool, result)) return;
    this.#announce();
    setTimeout(() => this.#announce(), this.#cooldownMs + 1).unref();
  }

  /** Why calls of the tool are not taken now; undefined when they are. */
  reason(tool: string): string | undefined {
    const opened = this.#circuits.opened(tool);
    if (opened === undefined || opened.leftMs <= 0) return undefined;
    const seconds = Math.ceil(opened.leftMs / 1_000);
    return `it failed ${opened.failures} times in a row on this worker, which rests for ${seconds} s`;
  }

  /** Told when a tool begins to rest and when it has rested. Returns what ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }
}
