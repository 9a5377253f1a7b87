import { joinLabels } from "../call/labels.ts";
import type { ToolResult } from "../call/result.ts";
import { freeze, frozenCopy, harden } from "../copy.ts";
import { type FailureCode, isFailureCode } from "../failure/codes.ts";
import type { AfterVerdict, BatchPlace, Guard, GuardInput, Verdict } from "../guards/guard.ts";
import { isThenable, type MaybePromise } from "../maybe-promise.ts";
import { messageOf } from "../plain.ts";
import { validateEdit } from "./edit.ts";
import type { Execution, Resolved } from "./execution.ts";

/** What one guard sees of a call. */
export function guardInput(execution: Resolved): GuardInput {
  const { call, tool, shownArgs, id, decoded, options, services, parent } = execution;
  const { source = "model", runId, requestId, stepName, principal } = options;
  return {
    call: harden(call) ? call : frozenCopy(call),
    tool,
    args: shownArgs,
    executionId: id,
    decoded: freeze(decoded),
    source,
    provider: services.source.providerOf?.(tool),
    runId,
    requestId,
    stepName,
    principal,
    batch: freeze(batchOf(execution)),
    resumed: execution.resumed,
    read: joinLabels(parent?.read, execution.read),
  };
}

/** Whether the next guard can be given the same: what this one may have done to it reaches nobody. */
export function isLasting({ args, call }: Execution, input: GuardInput): boolean {
  return input.args === args && input.call === call;
}

function batchOf({ parent, batch, id }: Execution): BatchPlace {
  return parent === undefined ? (batch ?? { id, size: 1, index: 0 }) : batchOf(parent);
}

/** What a guard says of a call before it runs. One that throws denies. */
export function judge(guard: Guard, input: GuardInput): MaybePromise<Verdict | undefined> {
  try {
    const verdict = guard.before?.(input);
    return isThenable(verdict)
      ? Promise.resolve(verdict).catch((error) => brokenGuard(guard, error))
      : verdict;
  } catch (error) {
    return brokenGuard(guard, error);
  }
}

function brokenGuard({ name }: Guard, error: unknown): Verdict {
  return { verdict: "deny", reason: `guard ${name} failed: ${messageOf(error)}` };
}

/** Does what a guard said of a call. A result when the call does not run. */
export function applyVerdict(
  execution: Resolved,
  guard: Guard,
  verdict: Verdict,
): MaybePromise<ToolResult | undefined> {
  if (!isVerdict(verdict)) return noVerdict(execution, guard);
  tellVerdict(execution, guard, "before", verdict);
  switch (verdict.verdict) {
    case "allow":
      return undefined;
    case "deny":
      return denied(execution, guard, verdict.reason, verdict.code);
    case "ask":
      execution.ask({
        guard: guard.name,
        reason: verdict.reason,
        ...(verdict.always === true && { always: true }),
      });
      return undefined;
    case "rewrite":
      return validateEdit(execution, verdict.args);
    case "advise":
      execution.advise(verdict.text);
      return undefined;
    case "stop":
      execution.stop = verdict.reason;
      return denied(execution, guard, verdict.reason);
    default:
      return noVerdict(execution, guard);
  }
}

export function isVerdict(verdict: unknown): boolean {
  return typeof verdict === "object" && verdict !== null;
}

/** What a verdict comes to that is none: a rule that cannot be read is not a permission. */
export function noVerdict(execution: Resolved, { name }: Guard): ToolResult {
  return execution.failed({ code: "TOOL_BLOCKED", message: `guard ${name} gave no valid verdict` });
}

export function denied(execution: Resolved, { name }: Guard, reason: string, code?: FailureCode): ToolResult {
  return execution.failed({
    code: isFailureCode(code) ? code : "TOOL_BLOCKED",
    message: reason,
    details: { guard: name },
  });
}

export function tellVerdict(
  execution: Resolved,
  { name }: Guard,
  phase: "before" | "after",
  verdict: Verdict | Exclude<AfterVerdict, { verdict: "label" }>,
): void {
  if (!execution.services.events.active) return;
  const reason = "text" in verdict ? verdict.text : verdict.reason;
  const why = reason === undefined ? {} : { reason };
  execution.emit({ type: "call.verdict", phase, guard: name, verdict: verdict.verdict, ...why });
}
