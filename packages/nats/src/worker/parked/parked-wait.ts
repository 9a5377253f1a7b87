import type { Wait } from "@toolrig/core/kit";
import { type CallMessage, readCall } from "../../wire/messages.ts";

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
  /** The message by which it came. */
  subject: string;
  text: string;
  /** Its starts so far. */
  attempt: number;
  /** When its entry in the ledger was last known to be young, in epoch milliseconds. */
  keptAt: number;
}

export function callOf({ subject, text }: FleetCall): CallMessage {
  return readCall(text, subject);
}

/** Whether what it asked has come, so that the call can be run again. */
export function isAnswered({ kind, end, fleet }: ParkedWait): boolean {
  return kind === "question" && end !== undefined && fleet !== undefined;
}
