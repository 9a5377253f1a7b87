import { deferralOf } from "../../call/deferred.ts";
import { isWaiting, type ToolResult } from "../../call/result.ts";
import { wallTime } from "../../clock.ts";
import { defined } from "../../defined.ts";
import { parseDuration } from "../../options/duration.ts";
import { messageOf, toPlain } from "../../plain.ts";
import { addParked, type Wait, waitId } from "../../stores/waits.ts";
import { definitionHash } from "../../tool/definition.ts";
import type { Resolved } from "../execution.ts";
import { inTime } from "../interruption.ts";
import { type ParkedCall, parkedCall } from "./parked-call.ts";
import { tokenHash } from "./token.ts";

/**
 * Puts a call aside whose result comes later. Its wait is written before its intent is given up, so that whoever finds the
 * one without the other knows that it is parked. A call that cannot be put aside is in doubt: its tool has begun something.
 */
export async function park(execution: Resolved): Promise<Wait | ToolResult> {
  const { services, id, tool } = execution;
  try {
    const wait = waitFor(execution);
    const { wait: kept } = await inTime(execution, addParked(services.waits, services.ledger, wait));
    services.keeper.wake(kept.nextAt);
    return kept;
  } catch (error) {
    const message = `${tool.name} has begun something that cannot be waited for: ${messageOf(error)}. It may have happened; verify before you try again.`;
    return execution.failed({ code: "TOOL_OUTCOME_UNKNOWN", message });
  } finally {
    services.early.delete(id);
  }
}

/** Gives up the intent of a call whose own calls wait: it is started again, and they have their waits. */
export async function parkWithin(execution: Resolved, answer: ToolResult): Promise<ToolResult> {
  const { services, id } = execution;
  await Promise.resolve(services.ledger.park?.(id)).catch(() => {});
  if (isWaiting(answer)) execution.emit({ type: "call.waiting", waiting: answer.waiting, parked: true });
  return answer;
}

function waitFor(execution: Resolved): Wait {
  const { services, id, tool, call, options } = execution;
  const { token } = execution.waiting;
  const deferral = execution.state.at === "deferred" ? execution.state.deferral : undefined;
  const { runId, principal } = options;
  const createdAt = wallTime(services.clock);
  const expiresMs =
    deferral?.expires === undefined ? tool.wait.expiresMs : parseDuration(deferral.expires, "expires");
  const expiresAt = createdAt + expiresMs;
  const { note } = deferral ?? {};
  const nextAt = tool.check === undefined ? expiresAt : Math.min(createdAt + tool.wait.everyMs, expiresAt);
  return {
    id: waitId(id, "result"),
    kind: deferralOf(deferral) === "external" ? "external" : "deferred",
    executionId: id,
    callId: call.id,
    name: tool.name,
    ...defined({ runId, principal }),
    ...(note !== undefined && { note: services.redactor.text(String(note)) }),
    createdAt,
    expiresAt,
    nextAt,
    ...(token !== undefined && { tokens: [tokenHash(token, id, definitionHash(tool.definition))] }),
    body: toPlain(parkedCall(execution)) as ParkedCall,
  };
}
