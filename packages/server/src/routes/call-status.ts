import type { ToolResult } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { SqliteRecords } from "@toolrig/store";
import type { Caller } from "../http/route.ts";
import { mayRead } from "../security/gate.ts";
import { lineOfRecord, stateOf } from "../views/call-line.ts";
import { lineOfWait } from "../views/wait-item.ts";
import type { CallStatus } from "../wire.ts";
import type { Context } from "./context.ts";

/** What is on record of an execution: also of one that has ended here a moment ago, whose record is on its way. */
export async function recordsOf({ rig, live }: Context, executionId: string): Promise<Kept> {
  const found = rig.store?.records.get(executionId) ?? { records: [], late: [] };
  if (found.records.length > 0 || !live.calls.isOwn(executionId)) return found;
  await rig.executor.flush();
  return rig.store?.records.get(executionId) ?? found;
}

type Kept = ReturnType<SqliteRecords["get"]>;

/** As `statusOf`, for whoever may know of it: who may not read knows of calls of their own. */
export async function statusFor(
  context: Context,
  executionId: string,
  caller: Caller,
): Promise<CallStatus | undefined> {
  const status = await statusOf(context, executionId, caller);
  return mayRead(caller) || status?.line.principal === caller.acting.id ? status : undefined;
}

/**
 * How a call stands, from wherever that is known. Undefined when nothing is. Secrets are masked in its result, but for whoever
 * made it.
 */
export async function statusOf(
  context: Context,
  executionId: string,
  caller: Caller,
): Promise<CallStatus | undefined> {
  const { live, desk, rig, redactor } = context;
  const tracked = live.calls.get(executionId);
  if (tracked !== undefined && tracked.end === undefined) {
    const line = tracked.line(redactor);
    return { executionId, line, state: line.state };
  }
  const kept = desk.keptOf(executionId);
  const whole = kept?.principal === caller.acting.id ? kept.result : undefined;
  const { records } = await recordsOf(context, executionId);
  const record = decisive(records);
  if (record !== undefined) {
    return {
      executionId,
      line: lineOfRecord(record, redactor),
      state: stateOf(record.result),
      result: whole !== undefined && isMade(whole) === isMade(record.result) ? whole : record.result,
    };
  }
  const waits = await rig.waits.list({ executionId });
  const wait = waits.find(({ end }) => end === undefined) ?? waits[0];
  if (wait !== undefined) {
    const line = lineOfWait(wait, redactor);
    return { executionId, line, state: line.state };
  }
  if (kept === undefined) return undefined;
  const result = whole ?? redactor.fact(kept.result);
  const { callId, name, durationMs } = result;
  const line = tracked?.line(redactor) ?? {
    executionId,
    revision: 0,
    callId,
    name,
    source: "http",
    gist: "",
    state: stateOf(result),
    startedAt: Date.now() - durationMs,
    durationMs,
    ...defined({ principal: kept.principal }),
  };
  return { executionId, line, state: stateOf(result), result };
}

/** Where two servers on one store were asked for the same, one did it, and the other put on record that it did not. */
function decisive(records: Kept["records"]): Kept["records"][number] | undefined {
  const own = records.filter(({ result }) => result.replayed !== true);
  return own.findLast(({ result }) => isMade(result)) ?? own.at(-1);
}

function isMade({ attempts }: ToolResult): boolean {
  return attempts > 0;
}
