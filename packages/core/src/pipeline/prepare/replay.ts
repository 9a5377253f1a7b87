import { fingerprintOf } from "../../call/fingerprint.ts";
import type { ToolResult } from "../../call/result.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import type { KnownExecution } from "../../stores/ledger.ts";
import { waitId } from "../../stores/waits.ts";
import type { Resolved } from "../execution.ts";

/**
 * An execution that is known to be over is answered with its result before any guard is asked: nothing runs, so there is
 * nothing to allow, and a rule that has changed since cannot deny what has happened. Whoever asks on another principal's
 * behalf gets it only if the guards would let them call. A ledger that cannot say leaves it to the ledger stage.
 */
export function replay(execution: Resolved): MaybePromise<ToolResult | undefined> {
  const { options, tool, services } = execution;
  if (options.executionId === undefined || !tool.ledger) return undefined;
  try {
    const known = services.ledger.get?.(execution.id);
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
  if (known?.principal !== options.principal?.id) return undefined;
  if (known?.result === undefined && known?.waiting !== true) return undefined;
  if (known.fingerprint !== fingerprintOf(tool, args)) return undefined;
  return known.result === undefined ? join(execution) : execution.replayed(known.result);
}

/** An execution that waits for its result runs nothing more: whoever comes for it waits, too. */
async function join(execution: Resolved): Promise<undefined> {
  const { services, id } = execution;
  const wait = await services.waits.get(waitId(id, "result"));
  if (wait !== undefined) execution.waiting.joins = true;
}
