import type { ToolResult } from "../../call/result.ts";
import { approvalGuard } from "../../guards/approval/approval-needed.ts";
import type { Guard, Verdict } from "../../guards/guard.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import type { Resolved } from "../execution.ts";
import { isChange, judgeAgain } from "../judge-again.ts";
import { applyVerdict, guardInput, isLasting, judge } from "../verdicts.ts";
import { isResumed } from "../waiting/resumed.ts";

/**
 * Asks every guard in order. The first that denies or stops ends it; who asks or advises is collected. When one rewrites
 * the arguments, those before it are asked again.
 */
export function guard(execution: Resolved): MaybePromise<ToolResult | undefined> {
  // It was let through when it began, and nothing more will run.
  if (execution.state.at === "joined") return undefined;
  const { services, tool } = execution;
  const approval = approvalGuard(tool, execution.isExtracted, execution.options.loop);
  const guards = approval === undefined ? services.guards : [...services.guards, approval];
  if (guards.length === 0) return undefined;
  const resumed = isResumed(execution);
  if (isThenable(resumed))
    return resumed.then((known) => {
      execution.resumed = known;
      return askFrom(guards, 0, execution, 0);
    });
  execution.resumed = resumed;
  return askFrom(guards, 0, execution, 0);
}

function askFrom(
  guards: readonly Guard[],
  from: number,
  execution: Resolved,
  rewriter: number,
): MaybePromise<ToolResult | undefined> {
  let last = rewriter;
  let input = guardInput(execution);
  for (let index = from; ; index++) {
    const each = guards[index];
    if (each === undefined) return last === 0 ? undefined : judgeEarlier(guards, last, execution);
    if (index > from && !isLasting(execution, input)) input = guardInput(execution);
    const verdict = judge(each, input);
    if (verdict === undefined) continue;
    if (isThenable(verdict)) return askLater(guards, index, execution, verdict, last);
    const { args } = input;
    const settled = applyVerdict(execution, each, verdict);
    if (isThenable(settled))
      return askRemaining(guards, index, execution, settled, isRewrite(verdict, args) ? index : last);
    if (settled !== undefined) return settled;
    if (verdict.verdict !== "rewrite") continue;
    if (isRewrite(verdict, args)) last = index;
    input = guardInput(execution);
  }
}

function isRewrite(answer: Verdict | undefined, shown: unknown): boolean {
  return answer?.verdict === "rewrite" && isChange(answer.args, shown);
}

function judgeEarlier(
  guards: readonly Guard[],
  rewriter: number,
  execution: Resolved,
): Promise<ToolResult | undefined> {
  const judged = guards.length - rewriter;
  return judgeAgain(execution, { guards, judged, mayAsk: true });
}

async function askLater(
  guards: readonly Guard[],
  index: number,
  execution: Resolved,
  verdict: Promise<Verdict | undefined>,
  last: number,
): Promise<ToolResult | undefined> {
  const { args } = execution;
  const answer = await verdict;
  if (execution.ended) return undefined;
  const each = guards[index];
  if (answer === undefined || each === undefined) return askFrom(guards, index + 1, execution, last);
  return askRemaining(
    guards,
    index,
    execution,
    applyVerdict(execution, each, answer),
    isRewrite(answer, args) ? index : last,
  );
}

async function askRemaining(
  guards: readonly Guard[],
  index: number,
  execution: Resolved,
  settled: MaybePromise<ToolResult | undefined>,
  last: number,
): Promise<ToolResult | undefined> {
  return (await settled) ?? askFrom(guards, index + 1, execution, last);
}
