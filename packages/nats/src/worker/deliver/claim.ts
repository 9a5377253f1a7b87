import { mayRepeat } from "@toolrig/core/kit";
import { MalformedMessage } from "../../wire/malformed-message.ts";
import type { Admitted } from "./admit.ts";
import { nextStep, type Step } from "./next-step.ts";
import type { DeliveryParts } from "./parts.ts";
import { buryMalformed } from "./receive.ts";
import { recordLoss } from "./record-loss.ts";
import type { Claim } from "./still-claimed.ts";

/** A call that is this worker's for as long as its entry in the ledger has this revision. */
export interface Claimed extends Admitted {
  readonly revision: number;
}

const TRIES = 5;
/** The start from which on it runs alone: a call that lost its worker twice may be what killed it, or was only beside it. */
const SUSPECT_FROM = 3;

/**
 * Takes a call by writing its entry in the ledger, or finds out why not. The entry decides, never the delivery count: that
 * one does not survive a crash of the server, and a duplicate publish looks like a first delivery.
 */
export function claim(admitted: Admitted, parts: DeliveryParts): Promise<Claimed | "settled"> {
  const { worker, ledger } = parts;
  if (isOutdated(admitted, parts)) return claimOutdated(admitted, parts);
  const confirmedAt = performance.now();
  return ledger
    .write(admitted.call.key, started(admitted, worker, 1), 0)
    .then((revision) =>
      revision === undefined ? contest(admitted, parts) : own(admitted, 1, { revision, confirmedAt }),
    );
}

/** How much of the time that the ledger remembers a call its caller's clock may be off, either way. */
const CLOCK_SHARE = 1 / 4;

/**
 * Signed so long ago that the ledger may have forgotten what came of it, or so far ahead of this clock that a copy would still seem young
 * then. In between no copy outlasts the ledger's memory, and a call may wait in the queue for as long as it keeps calls.
 */
function isOutdated({ call: { signedAt } }: Admitted, { ledgerTtlMs }: DeliveryParts): boolean {
  if (signedAt === undefined) return false;
  const ageMs = Date.now() - signedAt;
  const skewMs = CLOCK_SHARE * ledgerTtlMs;
  return ageMs >= ledgerTtlMs - skewMs || ageMs < -skewMs;
}

/** One that waited for so long has its entry still. Any other is a copy that somebody kept, or may become one. */
async function claimOutdated(admitted: Admitted, parts: DeliveryParts): Promise<Claimed | "settled"> {
  const { message, call } = admitted;
  if ((await parts.ledger.read(call.key)) !== undefined) return contest(admitted, parts);
  const isAhead = (call.signedAt ?? 0) > Date.now();
  const error = new MalformedMessage(
    isAhead
      ? "it was signed in the future: the clock of its caller, or of this worker, is wrong"
      : "it was signed so long ago that the ledger may have forgotten it",
  );
  message.term(await buryMalformed(message, message.seq, error, parts));
  return "settled";
}

/** Of a call that has an entry already. */
async function contest(admitted: Admitted, parts: DeliveryParts): Promise<Claimed | "settled"> {
  const { message, call } = admitted;
  const { worker, ledger, payloads, suspects, counters } = parts;
  for (let tries = 1; tries < TRIES; tries++) {
    const known = await ledger.read(call.key);
    const step: Step = known === undefined ? { start: 1 } : await nextStep(known.state, admitted, parts);
    if (step === "settled") {
      counters.duplicates += 1;
      return "settled";
    }
    if ("start" in step && step.start >= SUSPECT_FROM) await suspects.enter(call.key);
    const entry =
      "start" in step
        ? started(admitted, worker, step.start)
        : "wait" in step
          ? step.wait
          : await payloads.entry(call.key, call.fingerprint, step.end);
    const confirmedAt = performance.now();
    const revision = await ledger.write(call.key, entry, known?.revision ?? 0);
    if (revision === undefined) continue;
    if ("start" in step) {
      if (step.start > 1) counters.takenOver += 1;
      return own(admitted, step.start, { revision, confirmedAt });
    }
    if ("wait" in step) {
      // Its answer may have put this message into the queue, and nothing else would.
      if (step.isAnswered) continue;
      await parts.early.bring(call.pipelineId);
      message.ack();
      counters.parked += 1;
    } else {
      const since = known?.state.state === "started" ? known.state.at : Date.now();
      await recordLoss(admitted, step.end, since, parts);
      message.ack();
      parts.plainResults.tell(call, step.end);
      counters[step.counts] += 1;
    }
    return "settled";
  }
  message.nak(200);
  counters.duplicates += 1;
  return "settled";
}

function own({ message, call, abort, progress, tool }: Admitted, attempt: number, claim: Claim): Claimed {
  progress.attempt = attempt;
  progress.claim = claim;
  return { message, call, abort, progress, tool, revision: claim.revision };
}

/** A `StartedState`. Says all that whoever finds the entry needs to know, should this worker be lost. */
function started({ call, tool }: Admitted, worker: string, attempt: number): string {
  const fingerprint = JSON.stringify(call.fingerprint);
  const repeats = mayRepeat(tool.safety);
  return `{"state":"started","worker":${JSON.stringify(worker)},"attempt":${attempt},"fingerprint":${fingerprint},"at":${Date.now()},"repeats":${repeats}}`;
}
