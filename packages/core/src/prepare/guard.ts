import { messageOf } from "../content.ts";
import type { Execution } from "../execution.ts";
import type { Guard, Verdict } from "../guard.ts";
import { approvalNeeded } from "../guards/approval-needed.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { ToolResult } from "../result.ts";
import { check } from "./check.ts";

/** Asks every guard in order. The first that denies or stops ends it; who asks or advises is collected. */
export function guard(execution: Execution): MaybePromise<ToolResult | undefined> {
  const { system, tool, options } = execution;
  const guards = approvalNeeded.concerns(tool, options.source)
    ? [...system.guards, approvalNeeded]
    : system.guards;
  return guards.length === 0 ? undefined : runChain(guards, execution);
}

async function runChain(guards: readonly Guard[], execution: Execution): Promise<ToolResult | undefined> {
  for (const each of guards) {
    if (each.before === undefined) continue;
    const verdict = await ask(each, execution);
    if (verdict === undefined) continue;
    const settled = apply(verdict, each, execution);
    const result = settled instanceof Promise ? await settled : settled;
    if (result !== undefined) return result;
  }
  return undefined;
}

async function ask(each: Guard, execution: Execution): Promise<Verdict | undefined> {
  try {
    return await each.before!(execution.guardInput());
  } catch (error) {
    return { verdict: "deny", reason: `guard ${each.name} failed: ${messageOf(error)}` };
  }
}

function apply(
  verdict: Verdict,
  { name }: Guard,
  execution: Execution,
): MaybePromise<ToolResult | undefined> {
  const reason = "reason" in verdict ? verdict.reason : "text" in verdict ? verdict.text : undefined;
  execution.emit({
    type: "call.verdict",
    phase: "before",
    guard: name,
    verdict: verdict.verdict,
    ...(reason !== undefined && { reason }),
  });
  switch (verdict.verdict) {
    case "allow":
      return undefined;
    case "deny":
      return execution.failed({
        code: verdict.code ?? "TOOL_BLOCKED",
        message: verdict.reason,
        details: { guard: name },
      });
    case "ask":
      execution.asks = [...(execution.asks ?? []), verdict.reason];
      return undefined;
    case "rewrite":
      execution.args = verdict.args;
      return check(execution);
    case "advise":
      execution.advice = [...(execution.advice ?? []), verdict.text];
      return undefined;
    case "stop":
      execution.stop = verdict.reason;
      return execution.failed({ code: "TOOL_BLOCKED", message: verdict.reason, details: { guard: name } });
    default:
      return execution.failed({ code: "TOOL_BLOCKED", message: `guard ${name} gave no valid verdict` });
  }
}
