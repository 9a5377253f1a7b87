import type { ToolResult } from "../../call/result.ts";
import type { Wait } from "../../stores/waits.ts";
import type { Resolved } from "../execution.ts";
import { conclude } from "./conclude.ts";
import { endWait } from "./end-wait.ts";
import { park } from "./park.ts";
import { atRest } from "./rest.ts";
import { tellTool } from "./tell-tool.ts";
import { shownOf, waitingResult } from "./waiting-result.ts";

/** A call whose result comes later: it is parked, and then held or answered with what it waits for. */
export async function seeThrough(execution: Resolved, answer: ToolResult): Promise<ToolResult> {
  const { services, options } = execution;
  const id = answer.waiting?.id ?? "";
  const isNew = execution.aside?.deferral !== undefined;
  const wait = isNew ? await park(execution) : await services.waits.get(id);
  if (wait === undefined) return answer;
  if (!isWait(wait)) return wait;
  if (wait.end !== undefined) return conclude(execution, { wait, here: false });
  // Another process may have parked it, and nobody else may be there when it expires.
  services.keeper.wake(wait.nextAt);
  const parked = options.onWaiting === "return";
  const waiting = shownOf(wait);
  execution.emit({ type: "call.waiting", waiting, parked });
  return parked ? waitingResult(execution, waiting) : atRest(execution, hold(execution, wait));
}

function isWait(value: Wait | ToolResult): value is Wait {
  return "kind" in value;
}

/** An executor that stops leaves the wait as it is: it goes on in any other process. */
async function hold(execution: Resolved, wait: Wait): Promise<ToolResult> {
  const { services, options } = execution;
  const seen = await services.watch.until(wait.id, execution.interrupted);
  if (seen !== undefined) return conclude(execution, seen);
  if (options.signal?.aborted !== true) {
    execution.emit({ type: "call.waiting", waiting: shownOf(wait), parked: true });
    return waitingResult(execution, shownOf(wait));
  }
  const ended = await endWait(services, wait, "cancelled", { body: { reason: "its caller cancelled" } });
  if (ended.won) await tellTool(services, wait);
  return conclude(execution, { wait: ended.wait, here: ended.won });
}
