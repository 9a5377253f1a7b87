import { setTimeout as pause } from "node:timers/promises";
import type { ToolResult } from "@toolrig/core";
import { failedResult, hasSideEffects, isThenable, type MaybePromise, messageOf } from "@toolrig/core/kit";
import type { Claimed } from "./claim.ts";
import type { DeliveryParts } from "./parts.ts";

/** Whether the outcome is the call's, or came after somebody else had taken the call over. */
export type Committed = "committed" | "late";

/** What of a claim decides where its outcome goes. */
export type Outgoing = Pick<Claimed, "call" | "tool" | "revision">;
type CommitParts = Pick<DeliveryParts, "ledger" | "payloads" | "publisher" | "counters">;

type Make = () => MaybePromise<string>;
/** An entry, and what makes it anew. */
interface Made {
  entry: string;
  make: Make;
}

const TRIES = 5;
const REFUSED_PAUSE_MS = 500;

/**
 * Writes the outcome into the ledger, from where the server tells the caller. A late one goes nowhere. What a tool did must
 * not be lost: a server that is away or full is waited for, and an entry that was deleted meanwhile is written anew.
 */
export function commit(claimed: Outgoing, outcome: ToolResult, parts: CommitParts): Promise<Committed> {
  return commitEntry(claimed, () => entryOf(claimed, outcome, parts), parts);
}

/** The same of an entry, which is made to fit a message. */
export function commitEntry(
  { call, revision }: Outgoing,
  make: Make,
  parts: CommitParts,
): Promise<Committed> {
  const making = make();
  const begin = (entry: string) =>
    write(call.key, { entry, make }, revision, parts).then((written) =>
      written === undefined ? commitAnew(call.key, { entry, make }, parts) : "committed",
    );
  return isThenable(making) ? making.then(begin) : begin(making);
}

/** Somebody wrote since: whoever took the call over, or what deleted its entry. */
async function commitAnew(key: string, made: Made, parts: CommitParts): Promise<Committed> {
  for (let tries = 1; tries < TRIES; tries++) {
    const found = await parts.ledger.insist(key);
    if (found !== undefined && found.state.state !== "lost") break;
    if ((await write(key, made, found?.revision ?? 0, parts)) !== undefined) return "committed";
  }
  parts.counters.late += 1;
  return "late";
}

function entryOf(claimed: Outgoing, outcome: ToolResult, parts: CommitParts): MaybePromise<string> {
  const { key, fingerprint } = claimed.call;
  try {
    const entry = parts.payloads.entry(key, fingerprint, outcome);
    return isThenable(entry) ? entry.catch((error) => unkept(claimed, outcome, error, parts)) : entry;
  } catch (error) {
    return unkept(claimed, outcome, error, parts);
  }
}

/** A result that cannot be kept is answered as such, by an entry that is small enough. */
function unkept(
  { call, tool }: Outgoing,
  outcome: ToolResult,
  error: unknown,
  { payloads, publisher }: CommitParts,
): MaybePromise<string> {
  if (publisher.closed) throw error;
  const happened = hasSideEffects(tool.safety);
  const message = `${tool.name} ended, but its result is too large for a message and could not be kept: ${messageOf(error)}.`;
  const result = failedResult(call.call, call.executionId, {
    code: happened ? "TOOL_OUTCOME_UNKNOWN" : "TOOL_EXECUTION_FAILED",
    message: happened ? `${message} What it does has happened unless it failed.` : message,
  });
  return payloads.entry(call.key, call.fingerprint, { ...result, attempts: outcome.attempts });
}

function write(
  key: string,
  { entry, make }: Made,
  revision: number,
  parts: CommitParts,
): Promise<number | undefined> {
  return parts.ledger.write(key, entry, revision).catch(async (error) => {
    if (parts.publisher.closed) throw error;
    await pause(REFUSED_PAUSE_MS);
    // A server that came back may take less than the one for which the entry was made.
    const fitting = parts.payloads.fits(entry) ? entry : await make();
    return write(key, { entry: fitting, make }, revision, parts);
  });
}
