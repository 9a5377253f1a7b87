import type { ToolResult } from "../../call/result.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import type { Resolved } from "../execution.ts";
import { validateArguments } from "../validate-arguments.ts";

/** Validates what the model wrote, and tells what had to be changed for it. */
export function check(execution: Resolved): MaybePromise<ToolResult | undefined> {
  const answer = validateArguments(execution);
  if (execution.decoded.mode === "strict") return answer;
  return isThenable(answer)
    ? answer.then((settled) => settled ?? announce(execution))
    : (answer ?? announce(execution));
}

function announce(execution: Resolved): undefined {
  const { mode, repairs } = execution.decoded;
  if (mode === "strict") return undefined;
  execution.services.counters.repaired += 1;
  execution.emit({ type: "call.repaired", repairs, mode });
}
