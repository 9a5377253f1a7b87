import type { ToolResult } from "../../call/result.ts";
import { type EndedWait, hasEnded, type Wait } from "../../stores/waits.ts";
import type { Resolved } from "../execution.ts";
import { inTime } from "../interruption.ts";
import { conclude, settledElsewhere } from "./conclude.ts";
import { type Ended, endWait } from "./end-wait.ts";
import { finish } from "./finish.ts";
import { park } from "./park.ts";
import { atRest } from "./rest.ts";
import { tellTool } from "./tell-tool.ts";
import { shownOf, waitingResult } from "./waiting-result.ts";

/** A call whose result comes later: it is parked, and then held or answered with what it waits for. */
export async function seeThrough(execution: Resolved, answer: ToolResult): Promise<ToolResult> {
  const { services } = execution;
  const id = answer.waiting?.id ?? "";
  const isNew = execution.state.at === "deferred";
  const wait = isNew ? await park(execution) : await services.waits.get(id);
  if (wait === undefined) return answer;
  if (!isWait(wait)) return wait;
  const joins = !isNew;
  if (hasEnded(wait)) return joins ? joined(execution, wait) : conclude(execution, { wait, here: false });
  // Another process may have parked it, and nobody else may be there when it expires.
  services.keeper.wake(wait.nextAt);
  const parked = !execution.isHeld;
  const waiting = shownOf(wait);
  execution.emit({ type: "call.waiting", waiting, parked });
  if (parked) return waitingResult(execution, waiting);
  return atRest(execution, joins ? join(execution, wait) : hold(execution, wait));
}

/** Who comes for a call that waits gets what it comes to. Who is not the one that made it ends nothing by giving up. */
async function join(execution: Resolved, wait: Wait): Promise<ToolResult> {
  const { services, options, id } = execution;
  const seen = await services.watch.until(wait.id, execution.interrupted, false);
  if (seen !== undefined) return joined(execution, seen.wait);
  if (options.signal?.aborted !== true) return leave(execution, wait);
  if (wait.runId === options.runId && wait.principal?.id === options.principal?.id) {
    const ended = await cancel(execution, wait);
    if (ended?.won) await finish(services, execution.pipeline, ended.wait);
    if (ended !== undefined) return joined(execution, ended.wait);
  }
  const message = `The call was cancelled while it waited for execution ${id}, which goes on.`;
  return execution.failed({ code: "TOOL_CANCELLED", message });
}

/** The call itself is settled by who holds it or has ended it; if they are gone, here, as what it was. */
async function joined(execution: Resolved, wait: EndedWait): Promise<ToolResult> {
  const { services, id, pipeline } = execution;
  const known = await settledElsewhere(execution, wait);
  if (known !== undefined) return execution.replayed(known);
  await finish(services, pipeline, wait);
  const result = (await services.ledger.get?.(id))?.result;
  return result === undefined ? waitingResult(execution, shownOf(wait)) : execution.replayed(result);
}

/** Ends the wait and tells the tool. Undefined when that cannot be done. */
async function cancel(execution: Resolved, wait: Wait): Promise<Ended | undefined> {
  const { services } = execution;
  const cancelled = endWait(services, wait, "cancelled", { body: { reason: "its caller cancelled" } });
  const ended = await inTime(execution, cancelled).catch(() => undefined);
  if (ended?.won) await tellTool(services, wait);
  return ended;
}

function leave(execution: Resolved, wait: Wait): ToolResult {
  execution.emit({ type: "call.waiting", waiting: shownOf(wait), parked: true });
  return waitingResult(execution, shownOf(wait));
}

function isWait(value: Wait | ToolResult): value is Wait {
  return "kind" in value;
}

/** An executor that stops leaves the wait as it is: it goes on in any other process. */
async function hold(execution: Resolved, wait: Wait): Promise<ToolResult> {
  const { services, options } = execution;
  const seen = await services.watch.until(wait.id, execution.interrupted);
  if (seen !== undefined) return conclude(execution, seen);
  if (options.signal?.aborted !== true) return leave(execution, wait);
  const ended = await cancel(execution, wait);
  if (ended === undefined) {
    const message = `The call was cancelled, and what it waits for could not be ended (execution ${execution.id}): it goes on.`;
    return execution.failed({ code: "TOOL_CANCELLED", message });
  }
  return conclude(execution, { wait: ended.wait, here: ended.won });
}
