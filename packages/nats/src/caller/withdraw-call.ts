import { setTimeout as pause } from "node:timers/promises";
import type { ToolCall, ToolResult } from "@toolrig/core";
import { failedResult, messageOf } from "@toolrig/core/kit";
import { keyOf } from "../wire/names.ts";
import { answerBefore } from "./answer-before.ts";
import type { RemoteCalls } from "./remote-calls.ts";
import type { Asking } from "./submission.ts";

interface Unsent {
  call: ToolCall;
  executionId: string;
  /** The id was given with the call: it may have been made before, and wait in the queue since. */
  known: boolean;
  asking: Asking;
}

interface Parts {
  caller: string | undefined;
  calls: RemoteCalls;
  queueTimeoutMs: number;
  closing: AbortSignal;
}

const LOOK_AGAIN_MS = 200;

/**
 * The answer of a call that was not sent. One that may be in the queue from an earlier life has its outcome from there, or else is
 * withdrawn: nothing that says "did not run" is answered before the ledger holds it. Never rejects.
 */
export async function answerUnsent(
  { call, executionId, known, asking }: Unsent,
  result: ToolResult,
  { caller, calls, queueTimeoutMs: limitMs, closing }: Parts,
): Promise<ToolResult> {
  if (!known) return result;
  const key = keyOf(executionId, caller);
  try {
    for (;;) {
      const before = await calls.outcomeOfSame(call, executionId, key, asking);
      if (before !== undefined) return before;
      const withdrawing = () => calls.withdraw(call, key, result);
      const said = await answerBefore(withdrawing, { signal: undefined, closing, limitMs });
      if ("ended" in said) throw new Error("it could not be withdrawn");
      if (said.answer) return result;
      await pause(LOOK_AGAIN_MS);
    }
  } catch (error) {
    const message = `The call was not submitted now. Whether it waits from an earlier time is not known: ${messageOf(error)}.`;
    return failedResult(call, executionId, { code: "TOOL_OUTCOME_UNKNOWN", message });
  }
}
