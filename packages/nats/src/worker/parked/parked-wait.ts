import type { Wait } from "@toolrig/core/kit";
import { type CallMessage, readCall } from "../../wire/messages.ts";
import { pipelineIdOf } from "../../wire/names.ts";
import type { SignatureFields } from "../../wire/signature.ts";

/** A wait as a fleet keeps it. */
export interface ParkedWait extends Wait {
  /** The call that waits. Absent for a call from inside a call, which its worker holds. */
  readonly fleet?: FleetCall;
  /** Whose write it was: one whose answer was lost is told by it. */
  readonly writer?: string;
}

/** All that any worker needs to answer the caller, or to put the call into the queue again. */
export interface FleetCall {
  /** Its name in the ledger. */
  key: string;
  /** What its caller calls it. */
  executionId: string;
  /** The message by which it came. */
  subject: string;
  text: string;
  /** Whose it was, for who checks that when it goes into the queue again. */
  signature?: SignatureFields;
  /** Its starts so far. */
  attempt: number;
  /** When its entry in the ledger was last known to be young, in epoch milliseconds. */
  keptAt: number;
}

export function callOf({ subject, text }: FleetCall): CallMessage {
  return readCall(text, subject);
}

/** Whether it is filed under the execution of its own call. */
export function isInPlace({ executionId, fleet }: ParkedWait): boolean {
  return fleet === undefined || pipelineIdOf(fleet.key) === executionId;
}

/** Whether what it asked has come, so that the call can be run again. */
export function isAnswered({ kind, end, fleet }: ParkedWait): boolean {
  return kind === "question" && end !== undefined && fleet !== undefined;
}
