import { lineOfRecord, stateOf } from "../views/call-line.ts";
import { lineOfWait } from "../views/wait-item.ts";
import type { CallStatus } from "../wire.ts";
import type { Context } from "./context.ts";

/** How a call stands, from wherever that is known. Undefined when nothing is. */
export async function statusOf(context: Context, executionId: string): Promise<CallStatus | undefined> {
  const { live, desk, rig, redactor } = context;
  const tracked = live.calls.get(executionId);
  if (tracked !== undefined && tracked.end === undefined) {
    const line = tracked.line(redactor);
    return { executionId, line, state: line.state };
  }
  const kept = desk.resultOf(executionId);
  const record = rig.store?.records
    .get(executionId)
    .records.findLast(({ result }) => result.replayed !== true);
  if (record !== undefined) {
    const result = kept === undefined || kept instanceof Promise ? record.result : kept;
    return { executionId, line: lineOfRecord(record, redactor), state: stateOf(record.result), result };
  }
  const [wait] = await rig.waits.list({ executionId, open: true, limit: 1 });
  if (wait !== undefined) {
    const line = lineOfWait(wait, redactor);
    return { executionId, line, state: line.state };
  }
  if (kept === undefined || kept instanceof Promise) return undefined;
  const result = kept;
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
  };
  return { executionId, line, state: stateOf(result), result };
}
