import { callStart } from "../../call/call-event.ts";
import type { ToolResult } from "../../call/result.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import { messageOf } from "../../plain.ts";
import type { Execution } from "../execution.ts";
import { INTERRUPTED, unlessInterrupted } from "../interruption.ts";
import { check } from "./check.ts";
import { decode } from "./decode.ts";
import { guard } from "./guard.ts";
import { replay } from "./replay.ts";
import { resolve } from "./resolve.ts";
import { rewrite } from "./rewrite.ts";

type Stage = (execution: Execution) => MaybePromise<ToolResult | undefined>;

/** Each stage lets the call pass or settles it. Decoding comes after resolving because the schema decides its ties. */
const STAGES: readonly Stage[] = [resolve, decode, rewrite, check, replay, guard];

/**
 * Undefined when the call may run, or the result of a call that may not. Never throws. A guard or validator that never
 * answers holds its call until that is cancelled.
 */
export function prepare(execution: Execution): MaybePromise<ToolResult | undefined> {
  const { call, options, services } = execution;
  services.counters.calls += 1;
  services.counters.inFlight += 1;
  if (services.events.active) {
    execution.emit(callStart(call, options));
  }
  return pass(execution, 0);
}

/** Goes through the stages without waiting for what is already known. */
function pass(execution: Execution, from: number): MaybePromise<ToolResult | undefined> {
  try {
    for (let index = from; index < STAGES.length; index++) {
      if (execution.cancelled) return cancelled(execution);
      const answer = STAGES[index]!(execution);
      if (isThenable(answer)) return passLater(execution, answer, index + 1);
      if (answer !== undefined) return answer;
    }
    return undefined;
  } catch (error) {
    return broken(execution, error);
  }
}

async function passLater(
  execution: Execution,
  answer: Promise<ToolResult | undefined>,
  next: number,
): Promise<ToolResult | undefined> {
  try {
    const settled = await unlessInterrupted(execution, answer);
    if (settled === INTERRUPTED) return cancelled(execution);
    return settled ?? (await pass(execution, next));
  } catch (error) {
    return broken(execution, error);
  }
}

function cancelled(execution: Execution): ToolResult {
  return execution.failed({ code: "TOOL_CANCELLED", message: "The call was cancelled before it ran." });
}

function broken(execution: Execution, error: unknown): ToolResult {
  return execution.failed({ kind: "fatal", message: `The call could not be prepared: ${messageOf(error)}` });
}
