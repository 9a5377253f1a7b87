import type { Effect } from "../call/effects.ts";
import type { Principal } from "../call/principal.ts";
import type { LogLevel, ProgressUpdate } from "../call/progress.ts";
import type { ToolResult } from "../call/result.ts";

/** What a running tool knows of its call, and what it can do besides returning. */
export interface ToolContext {
  /** Aborts when the caller cancels or a deadline passes. */
  readonly signal: AbortSignal;
  readonly executionId: string;
  readonly callId: string;
  /** The same for every attempt of this execution, also after a restart. Pass it to services that deduplicate. */
  readonly idempotencyKey: string;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly runId: string | undefined;
  readonly requestId: string | undefined;
  readonly stepName: string | undefined;
  readonly principal: Principal | undefined;
  readonly log: Readonly<Record<LogLevel, (message: string, data?: unknown) => void>>;
  /** Reports progress and resets the idle deadline. Ignored once the call has ended. */
  update(update: ProgressUpdate | string): void;
  /** Records what the tool changed, at the moment it did, so that it is known even if the call then fails. */
  effect(effect: Effect): void;
  /** Calls another tool through the same pipeline, as a child of this call. */
  call(name: string, args: unknown): Promise<ToolResult>;
}
