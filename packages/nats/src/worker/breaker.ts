import type { ToolResult } from "@toolrig/core";
import { Circuits } from "@toolrig/core/kit";

export interface BreakerOptions {
  /** Fatal failures of a tool in a row after which this worker stops taking its calls. 0: never. */
  failures: number;
  /** For how long. Then one more fatal failure is enough to stop again. */
  cooldownMs: number;
}

/** So many callers must have seen a tool fail before it rests for everybody: one alone may be what is wrong. */
const CALLERS = 2;

/**
 * Says which tools a worker does not take calls of for now: something may be wrong with this machine that is not wrong with
 * others, so calls are left to them for a while. What the model or the world did wrong does not count. Failures are counted
 * by caller: one whose calls make a tool fail keeps it from nobody else.
 */
export class Breaker {
  readonly #circuits: Circuits;
  readonly #cooldownMs: number;
  /** The callers whose circuit of a tool has opened. */
  readonly #opened = new Map<string, Set<string>>();
  readonly #listeners = new Set<() => void>();

  constructor({ failures, cooldownMs }: BreakerOptions) {
    const counts = (kind: string) => failures > 0 && kind === "fatal";
    this.#circuits = new Circuits({ failures, cooldownMs, counts });
    this.#cooldownMs = cooldownMs;
  }

  /** Takes note of what came of a caller's call. */
  observe(tool: string, caller: string, result: ToolResult): void {
    if (!this.#circuits.observe(keyOf(tool, caller), result)) return;
    const callers = this.#opened.get(tool) ?? new Set();
    this.#opened.set(tool, callers);
    for (const each of callers) if (this.reasonFor(tool, each) === undefined) callers.delete(each);
    callers.add(caller);
    this.#announce();
    setTimeout(() => this.#announce(), this.#cooldownMs + 1).unref();
  }

  /** Why nobody's calls of the tool are taken now; undefined when they are. */
  reason(tool: string): string | undefined {
    const reasons = this.#reasons(tool);
    return reasons.length >= CALLERS ? reasons[0] : undefined;
  }

  /** Why calls of somebody are not taken now; undefined when everybody's are. */
  reasonForSome(tool: string): string | undefined {
    return this.#reasons(tool)[0];
  }

  /** Why a caller's calls of the tool are not taken now; undefined when they are. */
  reasonFor(tool: string, caller: string): string | undefined {
    const opened = this.#circuits.opened(keyOf(tool, caller));
    if (opened === undefined || opened.leftMs <= 0) return undefined;
    const seconds = Math.ceil(opened.leftMs / 1_000);
    return `it failed ${opened.failures} times in a row on this worker, which rests for ${seconds} s`;
  }

  /** Told when a tool begins to rest and when it has rested. Returns what ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #reasons(tool: string): string[] {
    return [...(this.#opened.get(tool) ?? [])].flatMap((caller) => this.reasonFor(tool, caller) ?? []);
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }
}

function keyOf(tool: string, caller: string): string {
  return `${tool} ${caller}`;
}
