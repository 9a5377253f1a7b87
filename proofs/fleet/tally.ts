/** Counts what happened against what was asked. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolResult } from "@toolrig/core";
import type { NatsExecutor } from "@toolrig/nats";

export interface Asked {
  tool: "once" | "again";
  number: number;
  result: ToolResult;
  toldAt: number;
}

/** The window that no worker can close: between its last look at the ledger and the tool's first act. */
const WINDOW_MS = 250;

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
        this.asked.push({ tool, number, result, toldAt: Date.now() });
      }
    };
    await Promise.all(Array.from({ length: width }, one));
  }

  /** What went wrong: nothing, if every call has one right result and no effect was repeated that must not be. */
  misses(folder: string): string[] {
    const effects = effectsIn(folder);
    return this.asked.flatMap(({ tool, number, result, toldAt }) => {
      const ran = effects.get(`${tool} ${number}`) ?? 0;
      const code = result.failure?.code ?? "ok";
      const unknown = code === "TOOL_OUTCOME_UNKNOWN";
      const lateMs = effectAt(folder, number) - toldAt;
      if (tool === "once" && lateMs > WINDOW_MS)
        return [`once ${number} happened ${lateMs} ms after its caller was told ${code}`];
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

/** When a call did what it does whose worker was paused before; long ago for all others. */
function effectAt(folder: string, number: number): number {
  const place = join(folder, `at-${number}`);
  return existsSync(place) ? Number(readFileSync(place, "utf8")) : 0;
}
