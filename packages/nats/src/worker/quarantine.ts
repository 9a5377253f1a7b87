import type { ToolResult } from "@toolrig/core";

export interface QuarantineOptions {
  /** Fatal failures of a tool in a row after which this worker stops taking its calls. 0: never. */
  failures: number;
  /** For how long. Then one more fatal failure is enough to stop again. */
  cooldownMs: number;
}

interface Record {
  failures: number;
  until: number;
}

/**
 * A circuit breaker for one worker: something may be wrong with this machine that is not wrong with others, so calls are
 * left to them for a while. What the model or the world did wrong does not count.
 */
export class Quarantine {
  readonly #options: QuarantineOptions;
  readonly #records = new Map<string, Record>();

  constructor(options: QuarantineOptions) {
    this.#options = options;
  }

  /** True when this result makes the worker stop taking calls of the tool. */
  observe(tool: string, { failure, attempts }: ToolResult): boolean {
    const { failures, cooldownMs } = this.#options;
    if (failures === 0) return false;
    if (failure?.kind !== "fatal") {
      if (attempts > 0) this.#records.delete(tool);
      return false;
    }
    const record = this.#records.get(tool) ?? { failures: 0, until: 0 };
    this.#records.set(tool, record);
    record.failures += 1;
    if (record.failures < failures || record.until > Date.now()) return false;
    record.until = Date.now() + cooldownMs;
    return true;
  }

  /** Why calls of the tool are not taken now; undefined when they are. */
  reason(tool: string): string | undefined {
    const record = this.#records.get(tool);
    if (record === undefined || record.until <= Date.now()) return undefined;
    const seconds = Math.ceil((record.until - Date.now()) / 1_000);
    return `it failed ${record.failures} times in a row on this worker, which rests for ${seconds} s`;
  }
}
