import type { CallOptions, ToolCall } from "../call/call.ts";
import type { EventStream } from "../call/events.ts";
import type { Redactor } from "../call/redact.ts";
import type { ToolResult } from "../call/result.ts";
import type { Clock } from "../clock.ts";
import type { Approver } from "../guards/approval/approver.ts";
import type { Guard } from "../guards/guard.ts";
import type { Allowlist } from "../source/allowlist.ts";
import type { ToolSource } from "../source/source.ts";
import type { ArtifactStore } from "../stores/artifacts.ts";
import type { Ledger } from "../stores/ledger.ts";
import type { Counters } from "./counters.ts";
import type { LockTable } from "./execute/lock-table.ts";
import type { Memo } from "./execute/memo.ts";
import type { Running } from "./execute/running.ts";
import type { Semaphore } from "./execute/semaphore.ts";
import type { Execution } from "./execution.ts";

/** What the stages of one executor share. */
export interface System {
  readonly source: ToolSource;
  readonly allow: Allowlist;
  readonly onUnavailable: "report" | "try";
  readonly timeoutMs: number;
  readonly mode: "parallel" | "sequential";
  readonly maxContent: number;
  readonly guards: readonly Guard[];
  readonly approver: Approver | undefined;
  readonly clock: Clock;
  readonly events: EventStream;
  readonly redactor: Redactor;
  readonly ledger: Ledger;
  readonly onUnrecorded: "refuse" | "run";
  readonly artifacts: ArtifactStore;
  readonly memo: Memo;
  readonly locks: LockTable;
  readonly slots: Semaphore | undefined;
  readonly counters: Counters;
  readonly running: Running;
  /** Aborted when the executor stops: ends all waiting. */
  stopping: AbortController;
  /** Why no call is taken at the moment. */
  closed: string | undefined;
  /** Runs a call that a tool makes. */
  call(call: ToolCall, options: CallOptions, parent: Execution | undefined): Promise<ToolResult>;
}
