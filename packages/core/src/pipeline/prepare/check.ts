import { STRICT } from "../../call/decoded.ts";
import type { ToolResult } from "../../call/result.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import type { Resolved } from "../execution.ts";
import { validateArguments } from "../validate-arguments.ts";
import { refuseUnsureKeys } from "./unsure.ts";

/** Validates what the model wrote, and tells what had to be changed for it. */
export function check(execution: Resolved): MaybePromise<ToolResult | undefined> {
  const answer = validateArguments(execution);
  if (isThenable(answer)) return answer.then((settled) => settled ?? conclude(execution));
  return execution.decoded === STRICT ? answer : (answer ?? conclude(execution));
}

function conclude(execution: Resolved): ToolResult | undefined {
  const { mode, degree, repairs } = execution.decoded;
  if (mode !== "strict") {
    execution.services.counters.repaired += 1;
    execution.emit({ type: "call.repaired", repairs, mode, degree });
  }
  return refuseUnsureKeys(execution);
}
