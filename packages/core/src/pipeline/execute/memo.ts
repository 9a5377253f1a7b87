import { isWaiting, type ToolResult } from "../../call/result.ts";
import { canonicalJson, isJsonValue } from "../../canonical.ts";
import { copy } from "../../copy.ts";
import { evictOldest } from "../../evict-oldest.ts";
import { isThenable } from "../../maybe-promise.ts";
import { hasSideEffects } from "../../tool/safety.ts";
import type { AnyTool } from "../../tool/tool.ts";
import type { Resolved } from "../execution.ts";
import { INTERRUPTED, unlessInterrupted } from "../interruption.ts";
import type { Layer, Next } from "./layer.ts";

interface Entry {
  result: Promise<ToolResult>;
  /** The execution whose answer it is. */
  leader: string;
  /** Valid until this number of writes is exceeded: what was read may have changed. Absent: valid whatever is written. */
  writes: number | undefined;
}

/**
 * Answers of pure tools, by run. An attempted write forgets what was read, also what is being read at that moment.
 * Bounded: the oldest answers go first.
 */
export class Memo {
  readonly #runs = new Map<string, Map<string, Entry>>();
  readonly #perRun: number;
  readonly #runLimit: number;
  #writes = 0;

  constructor(perRun = 1_000, runLimit = 100) {
    this.#perRun = perRun;
    this.#runLimit = runLimit;
  }

  /** How many writes were begun or ended so far. */
  get writes(): number {
    return this.#writes;
  }

  get(runId: string, key: string): Entry | undefined {
    const entry = this.#runs.get(runId)?.get(key);
    return entry?.writes === undefined || entry.writes === this.#writes ? entry : undefined;
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
    this.#writes += 1;
  }

  /** Drops what a finished run remembered. */
  forget(runId: string): void {
    this.#runs.delete(runId);
  }
}

/** One flight a question: calls of one principal with the same arguments share one run of a pure tool, then its answer. */
export const memo: Layer = {
  applies: (tool) => tool.pure,

  wrap(tool, services, next) {
    return async (execution) => {
      const { runId = "", refusal } = execution.options;
      const run: Next = refusal === undefined ? next : () => execution.failed(refusal);
      const key = keyOf(tool, execution);
      if (key === undefined) return run(execution);
      for (;;) {
        const known = services.memo.get(runId, key);
        if (known === undefined) break;
        if (isInside(execution, known.leader)) return run(execution);
        const shared = await unlessInterrupted(execution, known.result);
        if (shared === INTERRUPTED) return cancelled(execution);
        // A flight that failed because its own caller cancelled says nothing; any other failure is the answer to both.
        if (shared.failure?.kind !== "cancelled" && !isWaiting(shared)) {
          services.counters.memoHits += 1;
          return reuse(shared, execution);
        }
        services.memo.delete(runId, key, known);
      }
      if (refusal !== undefined) return run(execution);
      const writes = tool.safety.sideEffects === "read" ? services.memo.writes : undefined;
      const result = Promise.resolve(next(execution));
      const entry: Entry = { result, leader: execution.id, writes };
      services.memo.set(runId, key, entry);
      const answer = await result;
      if (answer.isError || isWaiting(answer) || execution.did !== undefined)
        services.memo.delete(runId, key, entry);
      // Settling completes the caller's result, and the remembered one must stay as the tool gave it.
      return copy(answer);
    };
  },
};

/** Wraps tools with side effects: whether or not they succeed, what was read before or meanwhile may be stale. */
export const invalidateMemo: Layer = {
  applies: (tool) => hasSideEffects(tool.safety),
  wrap(_tool, { memo: answers }, next) {
    const stale = () => answers.writeAttempted();
    return (execution) => {
      stale();
      const answer = next(execution);
      if (isThenable(answer)) void answer.then(stale, stale);
      else stale();
      return answer;
    };
  },
};

function cancelled(execution: Resolved): ToolResult {
  const message = "The call was cancelled while it waited for an identical one.";
  return execution.failed({ code: "TOOL_CANCELLED", message });
}

/** Whether a call was made from inside an execution: it would wait for what waits for it. */
function isInside({ parent }: Resolved, leader: string): boolean {
  for (let each = parent; each !== undefined; each = each.parent) if (each.id === leader) return true;
  return false;
}

/** Undefined for arguments that JSON cannot tell apart: a schema or `prepare` may make anything of them. */
function keyOf(tool: AnyTool, { args, options }: Resolved): string | undefined {
  if ((tool.input.parse !== undefined || tool.prepare !== undefined) && !isJsonValue(args)) return undefined;
  try {
    const { principal } = options;
    const whose = tool.memo === "shared" || principal === undefined ? "" : canonicalJson(principal);
    return `${tool.name}@${tool.version ?? ""}:${whose}:${canonicalJson(args)}`;
  } catch {
    return undefined;
  }
}

function reuse(shared: ToolResult, execution: Resolved): ToolResult {
  return {
    ...copy(shared),
    callId: execution.call.id,
    executionId: execution.id,
    decoded: execution.decoded,
    attempts: 0,
    durationMs: 0,
    cached: true,
  };
}
