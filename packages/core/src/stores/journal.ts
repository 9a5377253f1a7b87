import type { ToolCall } from "../call/call.ts";
import type { DataLabels } from "../call/labels.ts";
import type { Principal } from "../call/principal.ts";
import type { ToolResult } from "../call/result.ts";
import type { TraceCarrier } from "../call/trace.ts";
import { ToolrigError } from "../failure/failure.ts";
import type { MaybePromise } from "../maybe-promise.ts";

/** One task given to a loop or a plan, or a script that had to be written down. */
export interface RunHeader {
  runId: string;
  kind: "loop" | "structured" | "plan" | "script";
  /** Epoch milliseconds. */
  startedAt: number;
  requestId?: string;
  /** What the run was asked, as plain data. */
  input: unknown;
  /** On whose behalf it runs, as plain data: also when it is continued. */
  principal?: Principal;
  forkedFrom?: { runId: string; turn: number };
}

/** What happened in a run, in order, as plain data. Enough to continue it without repeating what is finished. */
export type JournalEntry =
  /** A message of the transcript, in the form the loop keeps it. */
  | { type: "message"; turn: number; message: unknown }
  /** Calls that are about to run, with the ids under which a ledger knows them. Written before any of them starts. */
  | { type: "calls"; turn: number; calls: { executionId: string; call: ToolCall }[] }
  | { type: "result"; turn: number; result: ToolResult }
  /** What runs that calls of the turn have started took of this run's budgets. */
  | { type: "spent"; turn: number; calls: number; tokens: number }
  /** A finished step of a plan, with what is known of its output where information flow is followed. */
  | { type: "step"; name: string; output: unknown; labels?: DataLabels }
  /** The run is continued on behalf of somebody else, from here on. */
  | { type: "principal"; principal: Principal }
  /** The run is suspended until what it waits for has come. It is not over. */
  | { type: "waiting"; outcome: unknown; trace?: TraceCarrier }
  /** Somebody goes on with the run: of many who try, the one who wrote this. */
  | { type: "resumed" }
  | { type: "end"; outcome: unknown };

/** A run as listings show it. */
export interface RunSummary {
  header: RunHeader;
  /** When the latest entry was appended, in epoch milliseconds. */
  updatedAt: number;
  entries: number;
  /** How many turns have an entry. What is said before the first one is turn 0 and does not count. */
  turns: number;
  /** What the run came to; absent while it is not over. */
  end?: { outcome: unknown };
  /** What a suspended run waits for. Absent once somebody goes on with it. */
  waiting?: { outcome: unknown };
}

export interface RunQuery {
  /** Only runs that are over, or only those that are not. */
  ended?: boolean;
  kind?: RunHeader["kind"];
  /** Only runs that started before this time, in epoch milliseconds: how to ask for the next page. */
  before?: number;
  /** Default 50. */
  limit?: number;
}

/** Appended to as things happen; never rewritten. */
export interface Journal {
  /** Throws `STORE_FAILED` when the run is there already. */
  begin(header: RunHeader): MaybePromise<void>;
  /**
   * `expected` is how many entries the run has, as far as its writer knows. If it has another number, somebody else continues
   * it: throws `STORE_FAILED`, and nothing is written.
   */
  append(runId: string, entries: readonly JournalEntry[], expected?: number): MaybePromise<void>;
  header(runId: string): MaybePromise<RunHeader | undefined>;
  /** All entries of a run in the order of appending; empty for an unknown run. */
  entries(runId: string): MaybePromise<readonly JournalEntry[]>;
  /** Runs, the latest first. */
  runs(query?: RunQuery): MaybePromise<readonly RunSummary[]>;
}

/** What a writer is told whose run has another writer. */
export function continuedElsewhere(runId: string): ToolrigError {
  return new ToolrigError(
    "STORE_FAILED",
    `Run ${runId} is continued elsewhere, so it is not continued here.`,
  );
}

interface MemoryRun {
  header: RunHeader;
  entries: JournalEntry[];
  updatedAt: number;
}

export class MemoryJournal implements Journal {
  readonly #runs = new Map<string, MemoryRun>();

  begin(header: RunHeader): void {
    if (this.#runs.has(header.runId)) {
      throw new ToolrigError("STORE_FAILED", `Run ${header.runId} is in the journal already.`);
    }
    this.#runs.set(header.runId, { header, entries: [], updatedAt: header.startedAt });
  }

  append(runId: string, entries: readonly JournalEntry[], expected?: number): void {
    const run = this.#runs.get(runId);
    if (run === undefined)
      throw new ToolrigError("STORE_FAILED", `Run ${runId} is not in the journal; begin it first.`);
    if (expected !== undefined && run.entries.length !== expected) throw continuedElsewhere(runId);
    run.entries.push(...entries);
    run.updatedAt = Date.now();
  }

  header(runId: string): RunHeader | undefined {
    return this.#runs.get(runId)?.header;
  }

  entries(runId: string): readonly JournalEntry[] {
    return this.#runs.get(runId)?.entries ?? [];
  }

  runs({ ended, kind, before = Number.POSITIVE_INFINITY, limit = 50 }: RunQuery = {}): RunSummary[] {
    return Array.from(this.#runs.values(), summarise)
      .filter(({ header, end }) => {
        if (kind !== undefined && header.kind !== kind) return false;
        if (ended !== undefined && (end !== undefined) !== ended) return false;
        return header.startedAt < before;
      })
      .sort((a, b) => b.header.startedAt - a.header.startedAt)
      .slice(0, limit);
  }
}

function summarise({ header, entries, updatedAt }: MemoryRun): RunSummary {
  const turns = new Set(entries.flatMap((entry) => ("turn" in entry && entry.turn > 0 ? [entry.turn] : [])))
    .size;
  const end = entries.findLast((entry) => entry.type === "end");
  const summary: RunSummary = { header, updatedAt, entries: entries.length, turns };
  const last = entries.at(-1);
  if (end !== undefined) summary.end = { outcome: end.outcome };
  else if (last?.type === "waiting") summary.waiting = { outcome: last.outcome };
  return summary;
}
