import type { JsMsg } from "@nats-io/jetstream";
import { type AnyTool, failedResult, type ToolResult } from "@toolrig/core";
import type { CallJournal, JournalRead } from "../call-journal.ts";
import type { CallMessage, JournalState } from "../wire.ts";

/** What became of the attempt to take a delivered call. */
export type Claim =
  /** It is this worker's; `revision` fences its outcome. */
  | { claimed: true; revision: number; attempt: number }
  /** It is done, or somebody else's: the message is settled. */
  | { claimed: false };

export interface ClaimOptions {
  worker: string;
  tool: AnyTool;
  /** How often an idempotent tool is started before the call counts as poison. */
  maxAttempts: number;
  ackWaitMs: number;
  /** Whether another worker is at the call right now. */
  isAlive(worker: string, executionId: string): Promise<boolean>;
  /** Puts a call aside for a person to look at. */
  bury(reason: string): Promise<void>;
}

const TRIES = 5;

/**
 * Takes a call by writing its journal entry, or finds out why not. The entry decides, never the delivery count: that
 * one does not survive a crash of the server, and a duplicate publish looks like a first delivery.
 */
export async function claim(
  journal: CallJournal,
  message: JsMsg,
  call: CallMessage,
  options: ClaimOptions,
): Promise<Claim> {
  let known: JournalRead | undefined;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const step =
      known === undefined ? start(call, options, 1) : await next(known.state, message, call, options);
    if (step === "settled") return { claimed: false };
    const revision = await journal.write(call.executionId, step, known?.revision ?? 0);
    if (revision === undefined) {
      known = await journal.read(call.executionId);
    } else if (step.state === "started") {
      return { claimed: true, revision, attempt: step.attempt };
    } else {
      message.ack();
      return { claimed: false };
    }
  }
  message.nak(200);
  return { claimed: false };
}

/** The entry to write after the one that is there, or "settled" when there is nothing to do. */
async function next(
  known: JournalState,
  message: JsMsg,
  call: CallMessage,
  options: ClaimOptions,
): Promise<JournalState | "settled"> {
  if (known.fingerprint !== call.fingerprint) {
    await options.bury("another call has this execution id");
    message.ack();
    return "settled";
  }
  if (known.state === "final") {
    message.ack();
    return "settled";
  }
  if (known.worker !== options.worker && (await options.isAlive(known.worker, call.executionId))) {
    message.nak(options.ackWaitMs);
    return "settled";
  }
  const { tool } = options;
  const repeatable =
    tool.safety.idempotent || tool.safety.sideEffects === "none" || tool.safety.sideEffects === "read";
  if (!repeatable) return outcomeUnknown(call, known.worker);
  if (known.attempt < options.maxAttempts) return start(call, options, known.attempt + 1);
  await options.bury(`its worker was lost ${known.attempt} times`);
  return final(
    call,
    failedResult(call.call, call.executionId, {
      code: "TOOL_PANICKED",
      message: `${tool.name} was started ${known.attempt} times and its worker was lost each time. It was put aside.`,
    }),
  );
}

function start(call: CallMessage, { worker }: ClaimOptions, attempt: number): JournalState {
  return { state: "started", worker, attempt, fingerprint: call.fingerprint, at: Date.now() };
}

function outcomeUnknown(call: CallMessage, lost: string): JournalState {
  return final(
    call,
    failedResult(call.call, call.executionId, {
      code: "TOOL_OUTCOME_UNKNOWN",
      message: `Worker ${lost} started ${call.call.name} and was lost before it reported. It may have happened; it was not run again.`,
    }),
  );
}

export function final(call: CallMessage, result: ToolResult): JournalState {
  return { state: "final", fingerprint: call.fingerprint, result, at: Date.now() };
}
