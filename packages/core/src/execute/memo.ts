import { canonicalJson } from "../canonical.ts";
import type { Execution } from "../execution.ts";
import type { ToolResult } from "../result.ts";
import { hasSideEffects } from "../safety.ts";
import type { AnyTool } from "../tool.ts";
import type { Layer } from "./layer.ts";

interface Entry {
  result: Promise<ToolResult>;
  /** Forgotten when something is written: what was read may have changed. */
  volatile: boolean;
  repeats: number;
}

/**
 * Answers of pure tools, by run. An attempted write forgets what was read, also what is being read at that moment.
 * Bounded: the oldest answers go first.
 */
export class Memo {
  readonly #runs = new Map<string, Map<string, Entry>>();
  readonly #perRun: number;
  readonly #runLimit: number;

  constructor(perRun = 1_000, runLimit = 100) {
    this.#perRun = perRun;
    this.#runLimit = runLimit;
  }

  get(runId: string, key: string): Entry | undefined {
    return this.#runs.get(runId)?.get(key);
  }

  set(runId: string, key: string, entry: Entry): void {
    let run = this.#runs.get(runId);
    if (run === undefined) {
      run = new Map();
      this.#runs.set(runId, run);
      evictOldest(this.#runs, this.#runLimit);
    }
    run.set(key, entry);
    evictOldest(run, this.#perRun);
  }

  delete(runId: string, key: string, entry: Entry): void {
    const run = this.#runs.get(runId);
    if (run?.get(key) === entry) run.delete(key);
  }

  /** Something may have changed: only answers that never depended on the world stay. */
  writeAttempted(): void {
    for (const run of this.#runs.values()) {
      for (const [key, entry] of run) if (entry.volatile) run.delete(key);
    }
  }

  /** Drops what a finished run remembered. */
  forget(runId: string): void {
    this.#runs.delete(runId);
  }
}

function evictOldest(map: Map<string, unknown>, limit: number): void {
  if (map.size > limit) map.delete(map.keys().next().value!);
}

/** One flight a question: calls with the same arguments share one run of a pure tool, then its answer. */
export const memo: Layer = {
  applies: (tool) => tool.pure,

  wrap(tool, system, next) {
    return async (execution) => {
      const runId = execution.options.runId ?? "";
      const key = keyOf(tool, execution);
      for (;;) {
        const known = system.memo.get(runId, key);
        if (known === undefined) break;
        const shared = await known.result;
        if (!shared.isError) {
          known.repeats += 1;
          system.counters.memoHits += 1;
          return reuse(shared, execution);
        }
        // The flight that was shared failed, perhaps only because its caller cancelled: this one flies on its own.
        if (system.memo.get(runId, key) === known) system.memo.delete(runId, key, known);
      }
      const result = Promise.resolve(next(execution));
      const entry: Entry = { result, volatile: tool.safety.sideEffects === "read", repeats: 0 };
      system.memo.set(runId, key, entry);
      const answer = await result;
      if (answer.isError) system.memo.delete(runId, key, entry);
      // A copy: settling completes the caller's result, and the remembered one must stay as the tool gave it.
      return { ...answer };
    };
  },
};

/** Wraps tools with side effects: whether or not they succeed, what was read before may be stale. */
export const invalidateMemo: Layer = {
  applies: (tool) => hasSideEffects(tool.safety),
  wrap: (_tool, system, next) => (execution) => {
    system.memo.writeAttempted();
    return next(execution);
  },
};

function keyOf(tool: AnyTool, { args }: Execution): string {
  return `${tool.name}@${tool.version ?? ""}:${canonicalJson(args)}`;
}

function reuse(shared: ToolResult, execution: Execution): ToolResult {
  return {
    ...shared,
    callId: execution.call.id,
    executionId: execution.id,
    decoded: execution.decoded,
    attempts: 0,
    durationMs: 0,
    cached: true,
  };
}
