import type { CallOptions, ToolCall, TraceCarrier } from "@toolrig/core";
import type { ParkedResult } from "./pending-call.ts";

/** A call on its way. */
export interface Submission {
  executionId: string;
  key: string;
  call: ToolCall;
  subject: string;
  body: string;
  trace: TraceCarrier | undefined;
  signal: AbortSignal | undefined;
  /** It may have been made before, so the ledger is asked first. */
  known: boolean;
  waits: OnWaiting;
}

/** What is done when a call waits for the world. */
interface OnWaiting {
  onWaiting: CallOptions["onWaiting"];
  /** Told each time it is parked, whether or not its caller is. */
  onParked?(result: ParkedResult): void;
  /** Told once the guards of its worker have let the call pass. Its worker is asked to tell only where this is given. */
  readonly onAllowed?: (() => void) | undefined;
}

/** Of who asks for the outcome of a call. */
export interface Asking {
  signal: AbortSignal | undefined;
  waits: OnWaiting;
}
