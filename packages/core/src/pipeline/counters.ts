import type { ToolResult } from "../call/result.ts";
import type { FailureKind } from "../failure/codes.ts";

/** "withdrawn" did not run; of "unknown" nobody knows. */
export type LedgerOutcome = "completed" | "failed" | "unknown" | "withdrawn";

/** What an executor has done so far, for health checks and metrics. */
export interface CounterValues {
  calls: number;
  succeeded: number;
  failed: number;
  failuresByKind: Partial<Record<FailureKind, number>>;
  retries: number;
  late: number;
  repaired: number;
  memoHits: number;
  /** What the ledger was told of calls. */
  ledger: Readonly<Record<LedgerOutcome, number>>;
  /** Calls between start and result. */
  inFlight: number;
  /** Calls waiting for a slot, a token or a lock. */
  queued: number;
}

export class Counters {
  calls = 0;
  succeeded = 0;
  failed = 0;
  retries = 0;
  late = 0;
  repaired = 0;
  memoHits = 0;
  inFlight = 0;
  queued = 0;
  readonly ledger: Record<LedgerOutcome, number> = { completed: 0, failed: 0, unknown: 0, withdrawn: 0 };
  readonly #byKind = new Map<FailureKind, number>();
  #whenIdle: (() => void)[] = [];

  /** Resolves when no call is under way. */
  idle(): Promise<void> {
    if (this.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  /** A call is not under way any more: it waits. */
  left(): void {
    this.inFlight -= 1;
    if (this.inFlight === 0 && this.#whenIdle.length > 0) {
      for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  ended(result: ToolResult): void {
    this.left();
    if (!result.isError) {
      this.succeeded += 1;
      return;
    }
    this.failed += 1;
    const kind = result.failure?.kind ?? "fatal";
    this.#byKind.set(kind, (this.#byKind.get(kind) ?? 0) + 1);
  }

  values(): CounterValues {
    const { calls, succeeded, failed, retries, late, repaired, memoHits, inFlight, queued } = this;
    const failuresByKind = Object.fromEntries(this.#byKind);
    const ledger = { ...this.ledger };
    const ended = { succeeded, failed, failuresByKind, ledger };
    return { calls, ...ended, retries, late, repaired, memoHits, inFlight, queued };
  }
}
