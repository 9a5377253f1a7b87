import { JOINED } from "../../call/call-state.ts";
import { fingerprintOf } from "../../call/fingerprint.ts";
import type { ToolResult } from "../../call/result.ts";
import { wallTime } from "../../clock.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import type { KnownExecution } from "../../stores/ledger.ts";
import type { Resolved } from "../execution.ts";
import { resultWait } from "../waiting/result-wait.ts";
import { shownOf, waitingResult } from "../waiting/waiting-result.ts";

/**
 * An execution that is known to be over is answered with its result before any guard is asked: nothing runs, so there is
 * nothing to allow, and a rule that has changed since cannot deny what has happened. Whoever asks on another principal's
 * behalf gets it only if the guards would let them call. A ledger that cannot say leaves it to the ledger stage.
 */
export function replay(execution: Resolved): MaybePromise<ToolResult | undefined> {
  const { options, tool, services } = execution;
  if (options.executionId === undefined || !tool.ledger) return undefined;
  try {
    const known = services.held.get(execution.id) ?? services.ledger.get?.(execution.id);
    return isThenable(known)
      ? Promise.resolve(known).then(
          (entry) => answer(execution, entry),
          () => undefined,
        )
      : answer(execution, known);
  } catch {
    return undefined;
  }
}

function answer(
  execution: Resolved,
  known: KnownExecution | undefined,
): MaybePromise<ToolResult | undefined> {
  const { tool, args, options } = execution;
  if (known === undefined || known.principal !== options.principal?.id) return undefined;
  if (known.fingerprint !== fingerprintOf(tool, args)) return undefined;
  return known.result === undefined ? join(execution) : execution.replayed(known.result);
}

/**
 * An execution that waits for its result, or runs in the background, runs nothing more: whoever comes for it waits, too. One in
 * the background of a process that is gone may run again.
 */
async function join(execution: Resolved): Promise<ToolResult | undefined> {
  const { services, id } = execution;
  const wait = await resultWait(services, id);
  if (wait === undefined) return undefined;
  const isRunning = wait.kind === "background" && wait.end === undefined;
  if (isRunning && (wait.nextAt ?? 0) <= wallTime(services.clock)) return undefined;
  execution.move(JOINED);
  if (!isRunning || execution.isHeld) return undefined;
  execution.emit({ type: "call.waiting", waiting: shownOf(wait), parked: true });
  return waitingResult(execution, shownOf(wait));
}
