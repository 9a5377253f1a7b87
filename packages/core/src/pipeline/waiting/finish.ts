import type { ToolResult } from "../../call/result.ts";
import type { EndedWait } from "../../stores/waits.ts";
import { mayRepeat } from "../../tool/safety.ts";
import { CallIntent } from "../call-intent.ts";
import { writeOutcome } from "../close-ledger.ts";
import type { Resolved } from "../execution.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Services } from "../services.ts";
import { settle } from "../settle/settle.ts";
import { underWayIn } from "../under-way.ts";
import { outcomeOf, tellResumed } from "./conclude.ts";
import { leftBy } from "./left-call.ts";
import { type ParkedCall, revive, storyOf } from "./parked-call.ts";
import { putAway } from "./put-away.ts";

/**
 * Sees a parked call through whose wait has ended and that nobody holds: outcome, ledger, guards, record. Of many who try, one
 * writes the outcome and tells of it. Undefined where the tool is not at hand: a process that has it will. Rejects when a
 * store fails; it is then tried again. A wait that another call waits for, too, stays due until that goes on.
 */
export async function finish(
  services: Services,
  pipeline: Pipeline,
  wait: EndedWait,
): Promise<ToolResult | undefined> {
  const execution = revive(services, pipeline, wait);
  if (execution === undefined) return undefined;
  // What a process left open that is gone is taken over first, so that it is recorded once.
  if (wait.end.how === "lost" && !(await takeOver(execution))) return undefined;
  const outcome = await outcomeOf(execution, wait);
  const isOver = leftBy(wait) === undefined;
  if ((await writeOutcome(execution, outcome)) === false) {
    if (isOver) await putAway(services, wait.id);
    return (await services.ledger.get?.(execution.id))?.result;
  }
  services.counters.inFlight += 1;
  tellResumed(execution, wait, storyOf(wait.body as ParkedCall));
  execution.endedAt = services.clock.now();
  const result = await settle(execution, outcome);
  await services.ledger.settled?.(execution.id, result);
  if (isOver) await putAway(services, wait.id);
  return result;
}

/** False when a tool that may be repeated has been started again since: what that start comes to is the outcome. */
async function takeOver(execution: Resolved): Promise<boolean> {
  const { services, id, tool } = execution;
  const { state } = await services.ledger.intend(new CallIntent(execution));
  return !mayRepeat(tool.safety) || (state !== "running" && !underWayIn(services).has(id));
}
