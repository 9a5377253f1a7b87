import type { CallSource } from "../call/call.ts";
import type { Principal } from "../call/principal.ts";
import type { ToolResult } from "../call/result.ts";
import { defined } from "../defined.ts";
import type { CallRecord } from "../stores/records.ts";

/** What the ledger or the journal knows of a call that nobody recorded. */
export interface RecoveredCall {
  result: ToolResult;
  args: unknown;
  version?: string | undefined;
  runId?: string | undefined;
  principal?: Principal | undefined;
  /** Default "model". */
  source?: CallSource | undefined;
  /** Epoch milliseconds. */
  startTime: number;
  endTime: number;
}

/** The record of a call whose process died before it could record it. What guards said is lost. */
export function recoveredRecord(call: RecoveredCall): CallRecord {
  const { result, args, version, runId, principal, source = "model", startTime, endTime } = call;
  const { executionId, callId, name } = result;
  const durationMs = endTime - startTime;
  return {
    executionId,
    callId,
    name,
    ...defined({ version, runId, principal }),
    source,
    rawArguments: args,
    args,
    result,
    verdicts: [],
    startTime,
    endTime,
    durationMs,
    timing: { prepareMs: 0, waitMs: 0, runMs: durationMs, settleMs: 0 },
    recovered: true,
  };
}
