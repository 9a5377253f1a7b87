import type { ToolResult } from "../../call/result.ts";
import { isFailureCode } from "../../failure/codes.ts";
import { approvalNeeded } from "../../guards/approval/approval-needed.ts";
import type { Guard, GuardInput, Verdict } from "../../guards/guard.ts";
import { isThenable, type MaybePromise } from "../../maybe-promise.ts";
import { messageOf } from "../../plain.ts";
import type { Execution } from "../execution.ts";
import { recheck } from "./check.ts";

/** Asks every guard in order. The first that denies or stops ends it; who asks or advises is collected. */
export function guard(execution: Execution): MaybePromise<ToolResult | undefined> {
  const { services, tool, options } = execution;
  const guards = approvalNeeded.concerns(tool, options.source)
    ? [...services.guards, approvalNeeded]
    : services.guards;
  return guards.length === 0 ? undefined : askFrom(guards, 0, execution);
}

/** Asks again about arguments that an approver changed. Only a refusal counts: the question has been answered. */
export async function rejudge(execution: Execution): Promise<ToolResult | undefined> {
  for (const each of execution.services.guards) {
    if (each.judgesEdits !== true || each.before === undefined) continue;
    const verdict = await Promise.resolve(ask(each, execution.guardInput())).catch((error) =>
      failed(each, error),
    );
    if (verdict?.verdict !== "deny" && verdict?.verdict !== "stop") continue;
    return apply(verdict, each, execution);
  }
  return undefined;
}

function askFrom(
  guards: readonly Guard[],
  from: number,
  execution: Execution,
): MaybePromise<ToolResult | undefined> {
  let input = execution.guardInput();
  for (let index = from; index < guards.length; index++) {
    const each = guards[index]!;
    const verdict = ask(each, input);
    if (isThenable(verdict)) return askLater(guards, index, verdict, execution);
    if (verdict === undefined) continue;
    const settled = apply(verdict, each, execution);
    if (isThenable(settled)) return settled.then((result) => result ?? askFrom(guards, index + 1, execution));
    if (settled !== undefined) return settled;
    if (verdict.verdict === "rewrite") input = execution.guardInput();
  }
  return undefined;
}

async function askLater(
  guards: readonly Guard[],
  index: number,
  verdict: Promise<Verdict | undefined>,
  execution: Execution,
): Promise<ToolResult | undefined> {
  const each = guards[index]!;
  const answer = await Promise.resolve(verdict).catch((error) => failed(each, error));
  if (execution.ended) return undefined;
  const settled = answer === undefined ? undefined : await apply(answer, each, execution);
  return settled ?? askFrom(guards, index + 1, execution);
}

function ask(each: Guard, input: GuardInput): MaybePromise<Verdict | undefined> {
  try {
    return each.before?.(input);
  } catch (error) {
    return failed(each, error);
  }
}

function failed({ name }: Guard, error: unknown): Verdict {
  return { verdict: "deny", reason: `guard ${name} failed: ${messageOf(error)}` };
}

function apply(
  verdict: Verdict,
  { name }: Guard,
  execution: Execution,
): MaybePromise<ToolResult | undefined> {
  if (typeof verdict !== "object" || verdict === null) return noVerdict(name, execution);
  if (execution.services.events.active) {
    const reason = "text" in verdict ? verdict.text : verdict.reason;
    const why = reason === undefined ? {} : { reason };
    execution.emit({ type: "call.verdict", phase: "before", guard: name, verdict: verdict.verdict, ...why });
  }
  switch (verdict.verdict) {
    case "allow":
      return undefined;
    case "deny":
      return execution.failed({
        code: isFailureCode(verdict.code) ? verdict.code : "TOOL_BLOCKED",
        message: verdict.reason,
        details: { guard: name },
      });
    case "ask":
      execution.asks = [...(execution.asks ?? []), verdict.reason];
      return undefined;
    case "rewrite":
      execution.args = verdict.args;
      return recheck(execution);
    case "advise":
      execution.advice = [...(execution.advice ?? []), verdict.text];
      return undefined;
    case "stop":
      execution.stop = verdict.reason;
      return execution.failed({ code: "TOOL_BLOCKED", message: verdict.reason, details: { guard: name } });
    default:
      return noVerdict(name, execution);
  }
}

function noVerdict(name: string, execution: Execution): ToolResult {
  return execution.failed({ code: "TOOL_BLOCKED", message: `guard ${name} gave no valid verdict` });
}
