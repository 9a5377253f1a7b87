import { setTimeout as pause } from "node:timers/promises";
import type { ToolResult } from "@toolrig/core";
import type { AckedPublisher, PublishError } from "../wire/acked-publisher.ts";
import type { CallLedger } from "../wire/call-ledger.ts";
import type { PendingCall, Sent } from "./pending-call.ts";
import { notReached } from "./remote-failures.ts";

const SEND_AGAIN_MS = 250;
/** So often nobody may take a call although the queue is there. */
const UNHEARD = 3;
/** The same in a cluster, whose servers hear of each other's streams in time. */
const UNHEARD_IN_CLUSTER = 40;

export interface Ways {
  publisher: AckedPublisher;
  ledger: CallLedger;
  queueTimeoutMs: number;
  /** Whether the fleet's queue is there, with a leader and all its replicas; false when it does not answer. */
  hasQueue(): Promise<boolean>;
  /** Whether the server is one of several. */
  isInCluster(): boolean;
  /** Whether a call still waits for its outcome. */
  isOut(pending: PendingCall): boolean;
  answer(pending: PendingCall, result: ToolResult): void;
  /** Writes an outcome, and answers with it; false when somebody else has written one. */
  end(pending: PendingCall, result: ToolResult): Promise<boolean>;
}

/**
 * Puts a call into the queue. One without a leader takes nothing for a moment. One that is there and never hears of a call is
 * in another account, from which this caller's does not import the subject. When no answer came, the ledger will tell, or
 * the call is sent again: of two copies in the queue one runs.
 */
export function sendCall(pending: PendingCall, sent: Sent, ways: Ways, unheard = 0): Promise<void> {
  return new Promise((resolve) => {
    if (!ways.isOut(pending)) return resolve();
    const accepted = () => {
      pending.accept();
      resolve();
    };
    const refused = (error: PublishError) => resolve(sendAgain(error, pending, sent, ways, unheard));
    pending.send();
    const { subject, body, trace, signature } = sent;
    const fields = trace === undefined && signature === undefined ? undefined : { ...trace, ...signature };
    ways.publisher.sendWith(fields, subject, body, { accepted, refused });
  });
}

async function sendAgain(
  error: PublishError,
  pending: PendingCall,
  sent: Sent,
  ways: Ways,
  unheardBefore: number,
): Promise<void> {
  const { publisher, ledger, queueTimeoutMs, hasQueue, isInCluster, answer, end } = ways;
  if (error.code !== 0) pending.refuse();
  if (!error.isUncertain) throw error;
  const late = Date.now() - pending.submittedAt >= queueTimeoutMs;
  if (error.code === 0 || late || publisher.closed) return;
  const unheard = error.isUnheard && (await hasQueue()) ? unheardBefore + 1 : 0;
  const most = isInCluster() ? UNHEARD_IN_CLUSTER : UNHEARD;
  if (unheard >= most && (await isUntouched(pending, ledger))) {
    const result = notReached(pending, sent.subject);
    // One that was made before may be in the queue since.
    if (!pending.isKnown) return answer(pending, result);
    if (await end(pending, result)) return;
  }
  await pause(SEND_AGAIN_MS);
  return sendCall(pending, sent, ways, unheard);
}

/** Nobody has it and nobody had: neither a queue, as far as it is known here, nor a worker. */
async function isUntouched(pending: PendingCall, ledger: CallLedger): Promise<boolean> {
  if (pending.accepted || pending.doubtful) return false;
  const entry = await ledger.read(pending.key).catch(() => "not known");
  return entry === undefined;
}
