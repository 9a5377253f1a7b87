/** Counts what happened against what was asked. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolResult } from "@toolrig/core";
import type { NatsExecutor } from "@toolrig/nats";

export interface Asked {
  tool: "once" | "again";
  number: number;
  result: ToolResult;
  /** Its worker was paused before the tool began, and went on later. */
  paused: boolean;
}

export class Tally {
  readonly #executor: NatsExecutor;
  readonly asked: Asked[] = [];
  #number = 0;

  constructor(executor: NatsExecutor) {
    this.#executor = executor;
  }

  /** Makes calls, at most `width` at once, alternating between the tool that may run once and the one that may run again. */
  async load(count: number, width: number, more: Record<string, unknown> = {}): Promise<void> {
    let left = count;
    const one = async () => {
      while (left-- > 0) {
        const number = this.#number++;
        const tool = number % 2 === 0 ? "once" : "again";
        const result = await this.#executor.call({
          id: `call_${number}`,
          name: tool,
          arguments: { number, ...more },
        });
        this.asked.push({ tool, number, result, paused: more.pauseAt !== undefined });
      }
    };
    await Promise.all(Array.from({ length: width }, one));
  }

  /** What went wrong: nothing, if every call has one right result and no effect was repeated that must not be. */
  misses(folder: string): string[] {
    const effects = effectsIn(folder);
    return this.asked.flatMap(({ tool, number, result, paused }) => {
      const ran = effects.get(`${tool} ${number}`) ?? 0;
      const code = result.failure?.code ?? "ok";
      const unknown = code === "TOOL_OUTCOME_UNKNOWN";
      if (tool === "once" && paused && unknown && ran > 0)
        return [`once ${number} happened after its caller was told that nobody knows`];
      if (tool === "once" && ran > 1) return [`once ${number} happened ${ran} times (${code})`];
      if (tool === "again" && (ran < 1 || code !== "ok"))
        return [`again ${number} happened ${ran} times (${code})`];
      if (tool === "once" && code !== "ok" && !unknown) return [`once ${number} was answered ${code}`];
      if (tool === "once" && code === "ok" && ran !== 1)
        return [`once ${number} was answered ok and happened ${ran} times`];
      return [];
    });
  }

  summary(): string {
    const unknown = this.asked.filter(({ result }) => result.failure?.code === "TOOL_OUTCOME_UNKNOWN").length;
    return `${this.asked.length} calls, each with one result; ${unknown} with an outcome that nobody knows`;
  }
}

/** How often each thing happened. */
export function effectsIn(folder: string): Map<string, number> {
  const effects = new Map<string, number>();
  for (const line of readFileSync(join(folder, "effects"), "utf8").split("\n").filter(Boolean)) {
    effects.set(line, (effects.get(line) ?? 0) + 1);
  }
  return effects;
}
