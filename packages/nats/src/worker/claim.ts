import type { AnyTool } from "@toolrig/core";
import { failedResult, mayRepeat } from "@toolrig/core/kit";
import type { CallLedger, LedgerEntry } from "../wire/call-ledger.ts";
import type { CallMessage, ExecutionState } from "../wire/messages.ts";
import type { Payloads } from "../wire/payload.ts";
import type { Delivered } from "./delivered.ts";

/** What became of the attempt to take a delivered call. */
export type Claim =
  /** It is this worker's for as long as the entry has this revision. */
  | { claimed: true; revision: number; attempt: number }
  /** It is done, or somebody else's: the message is settled. */
  | { claimed: false; why: "done" | "running" | "collision" | "unknown" | "poison" | "contended" };

export interface ClaimOptions {
  worker: string;
  tool: AnyTool;
  /** How often an idempotent tool is started before the call counts as poison. */
  maxAttempts: number;
  ackWaitMs: number;
  /** Whether another worker is at the call. Asks again and again for `patienceMs` before it says no. */
  isAlive(worker: string, key: string, patienceMs: number): Promise<boolean>;
  /** Resolves when no other suspect runs in this process, and keeps it so until this call has ended. */
  isolate(): Promise<void>;
  /** Puts a call aside for a person to look at. */
  bury(reason: string): Promise<void>;
}

const TRIES = 5;
/**
 * A call that lost its worker twice may be what killed it, or was only beside it. From its third start on it runs beside no
 * other such call, so that the innocent do not use up their attempts together with the one that is not.
 */
const SUSPECT_FROM = 3;

/**
 * Takes a call by writing its ledger entry, or finds out why not. The entry decides, never the delivery count: that
 * one does not survive a crash of the server, and a duplicate publish looks like a first delivery.
 */
export async function claim(
  ledger: CallLedger,
  payloads: Payloads,
  message: Delivered,
  call: CallMessage,
  options: ClaimOptions,
): Promise<Claim> {
  let known: LedgerEntry | undefined;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const step: Step = known === undefined ? { start: 1 } : await next(known.state, message, call, options);
    if ("settled" in step) return { claimed: false, why: step.settled };
    if ("start" in step && step.start >= SUSPECT_FROM) await options.isolate();
    const entry =
      "start" in step
        ? started(call, options.worker, step.start)
        : await payloads.entry(call.key, call.fingerprint, step.end);
    const revision = await ledger.write(call.key, entry, known?.revision ?? 0);
    if (revision === undefined) {
      known = await ledger.read(call.key);
    } else if ("start" in step) {
      return { claimed: true, revision, attempt: step.start };
    } else {
      message.ack();
      return { claimed: false, why: step.why };
    }
  }
  message.nak(200);
  return { claimed: false, why: "contended" };
}

/** Start it, end it with a result, or leave it. */
type Step =
  | { start: number }
  | { end: ReturnType<typeof failedResult>; why: "unknown" | "poison" }
  | { settled: "done" | "running" | "collision" };

/** What to do about the entry that is there. */
async function next(
  known: ExecutionState,
  message: Delivered,
  call: CallMessage,
  options: ClaimOptions,
): Promise<Step> {
  if (known.fingerprint !== call.fingerprint) {
    await options.bury("another call has this execution id");
    message.ack();
    return { settled: "collision" };
  }
  if (known.state === "final") {
    message.ack();
    return { settled: "done" };
  }
  if (await isOwned(known.worker, message, call, options)) {
    message.nak(options.ackWaitMs);
    return { settled: "running" };
  }
  const { tool } = options;
  if (!mayRepeat(tool.safety)) {
    const said = `Worker ${known.worker} started ${call.call.name} and was lost before it reported. It may have happened; it was not run again.`;
    return {
      end: failedResult(call.call, call.executionId, { code: "TOOL_OUTCOME_UNKNOWN", message: said }),
      why: "unknown",
    };
  }
  if (known.attempt < options.maxAttempts) return { start: known.attempt + 1 };
  await options.bury(`its worker was lost ${known.attempt} times`);
  const said = `${tool.name} was started ${known.attempt} times and its worker was lost each time. It was put aside.`;
  return {
    end: failedResult(call.call, call.executionId, { code: "TOOL_PANICKED", message: said }),
    why: "poison",
  };
}

/**
 * A worker keeps its lease on a call by renewing the message. A message that comes again shows that this one was not
 * renewed, so a short question is enough; a copy shows nothing, so the owner gets as long as a lease lasts to answer.
 */
function isOwned(
  owner: string,
  message: Delivered,
  { key }: CallMessage,
  { worker, ackWaitMs, isAlive }: ClaimOptions,
): Promise<boolean> | boolean {
  if (owner === worker) return false;
  return isAlive(owner, key, message.redelivered ? 0 : ackWaitMs);
}

function started(call: CallMessage, worker: string, attempt: number): string {
  const { fingerprint } = call;
  const entry: ExecutionState = { state: "started", worker, attempt, fingerprint, at: Date.now() };
  return JSON.stringify(entry);
}
