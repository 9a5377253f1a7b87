import type { CallStory } from "../../call/events.ts";
import type { ToolResult } from "../../call/result.ts";
import { sleep, wallTime } from "../../clock.ts";
import { defined } from "../../defined.ts";
import type { MaybePromise } from "../../maybe-promise.ts";
import { formatDuration } from "../../options/duration.ts";
import type { EndedWait } from "../../stores/waits.ts";
import { hasSideEffects, mayRepeat } from "../../tool/safety.ts";
import { closeLedger } from "../close-ledger.ts";
import type { Resolved } from "../execution.ts";
import { returned } from "../outcome.ts";
import { givenBy } from "./completion.ts";
import { putAway } from "./put-away.ts";
import { shownOf } from "./waiting-result.ts";
import type { SeenEnd } from "./watch.ts";

/** Whoever ends a wait sees to the rest at once. After so long it is taken to have died over it. */
export const TAKE_OVER_MS = 5_000;
const LOOK_AGAIN_MS = 250;

/** The result of a call that was held while it waited. One that another process has settled comes from the ledger. */
export async function conclude(execution: Resolved, { wait, here }: SeenEnd): Promise<ToolResult> {
  const { services, id } = execution;
  tellResumed(execution, wait);
  if (!here) {
    const known = await settledElsewhere(execution, wait);
    if (known !== undefined) return execution.replayed(known);
  }
  const result = await outcomeOf(execution, wait);
  const counted = await closeLedger(execution, result);
  await Promise.resolve(putAway(services, wait.id)).catch(() => {});
  if (counted !== false) return result;
  const known = await services.ledger.get?.(id);
  return known?.result === undefined ? result : execution.replayed(known.result);
}

/** What somebody else made of it: whoever held it, or ended it. Undefined when they are taken to have died over it. */
export async function settledElsewhere(
  { services, id }: Resolved,
  { end }: EndedWait,
): Promise<ToolResult | undefined> {
  const { ledger, clock } = services;
  for (;;) {
    const known = await ledger.get?.(id);
    if (known?.result !== undefined) return known.result;
    if (known === undefined || wallTime(clock) - end.at > TAKE_OVER_MS) return undefined;
    await sleep(clock, LOOK_AGAIN_MS);
  }
}

export function tellResumed(execution: Resolved, wait: EndedWait, story?: CallStory): void {
  const { end, createdAt } = wait;
  const waitedMs = Math.max(0, end.at - createdAt);
  execution.waiting.waitedMs += waitedMs;
  execution.emit({
    type: "call.resumed",
    waiting: shownOf(wait),
    how: end.how,
    waitedMs,
    ...defined({ by: end.by, story }),
  });
}

/** What a wait for a result came to. */
export function outcomeOf(
  execution: Resolved,
  { end, expiresAt, createdAt }: EndedWait,
): MaybePromise<ToolResult> {
  const { tool } = execution;
  switch (end.how) {
    case "completed":
      return returned(execution, givenBy(end.body));
    case "expired":
      return execution.failed({
        code: "TOOL_TIMEOUT",
        message: `No result of ${tool.name} came within ${formatDuration((expiresAt ?? end.at) - createdAt)}.${mayHaveHappened(execution)}`,
        retryable: mayRepeat(tool.safety),
        details: { limit: "expires" },
      });
    case "lost":
      return lost(execution);
    case "cancelled":
      return execution.failed({
        code: "TOOL_CANCELLED",
        message: `The call was cancelled while ${tool.name} waited for its result${reasonOf(end.body)}.${mayHaveHappened(execution)}`,
      });
    default:
      return execution.failed({
        code: "TOOL_OUTCOME_UNKNOWN",
        message: `The wait of ${tool.name} for its result ended as "${end.how}", which this version of Toolrig does not know. It may have happened; verify before you try again.`,
      });
  }
}

/** Its code ran in a process that is gone. */
function lost(execution: Resolved): ToolResult {
  const { tool } = execution;
  const what = `${tool.name} ran in the background of a process that ended.`;
  if (mayRepeat(tool.safety))
    return execution.failed({ code: "TOOL_UNAVAILABLE", message: `${what} It may be called again.` });
  const message = `${what} It may have happened; verify before you try again.`;
  return execution.failed({ code: "TOOL_OUTCOME_UNKNOWN", message });
}

function reasonOf(body: unknown): string {
  const reason = (body as { reason?: unknown } | undefined)?.reason;
  return typeof reason === "string" ? `: ${reason}` : "";
}

function mayHaveHappened({ tool }: Resolved): string {
  return hasSideEffects(tool.safety) ? " What it does may have happened; verify before you try again." : "";
}
