import type { ToolResult } from "../../call/result.ts";
import { approvalGuard } from "../../guards/approval/approval-needed.ts";
import type { Guard, Verdict } from "../../guards/guard.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import type { Resolved } from "../execution.ts";
import { applyVerdict, guardInput, judge } from "../verdicts.ts";

/** Asks every guard in order. The first that denies or stops ends it; who asks or advises is collected. */
export function guard(execution: Resolved): MaybePromise<ToolResult | undefined> {
  const { services, tool } = execution;
  const approval = approvalGuard(tool, execution.isExtracted);
  const guards = approval === undefined ? services.guards : [...services.guards, approval];
  return guards.length === 0 ? undefined : askFrom(guards, 0, execution);
}

function askFrom(
  guards: readonly Guard[],
  from: number,
  execution: Resolved,
): MaybePromise<ToolResult | undefined> {
  let input = guardInput(execution);
  for (let index = from; ; index++) {
    const each = guards[index];
    if (each === undefined) return undefined;
    const verdict = judge(each, input);
    if (verdict === undefined) continue;
    const rest = () => askFrom(guards, index + 1, execution);
    if (isThenable(verdict)) return askLater(each, verdict, execution, rest);
    const settled = applyVerdict(execution, each, verdict);
    if (isThenable(settled)) return settled.then((result) => result ?? rest());
    if (settled !== undefined) return settled;
    if (verdict.verdict === "rewrite") input = guardInput(execution);
  }
}

async function askLater(
  each: Guard,
  verdict: Promise<Verdict | undefined>,
  execution: Resolved,
  rest: () => MaybePromise<ToolResult | undefined>,
): Promise<ToolResult | undefined> {
  const answer = await verdict;
  if (execution.ended) return undefined;
  const settled = answer === undefined ? undefined : await applyVerdict(execution, each, answer);
  return settled ?? rest();
}
