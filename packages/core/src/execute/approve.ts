import { messageOf } from "../content.ts";
import type { Execution } from "../execution.ts";
import type { ApprovalAnswer } from "../guard.ts";
import { check } from "../prepare/check.ts";
import type { ToolResult } from "../result.ts";

/** Waits until somebody answers for a call that guards asked about. Undefined when it may run. */
export async function approve(execution: Execution): Promise<ToolResult | undefined> {
  const reasons = execution.asks!;
  const { approver } = execution.system;
  if (approver === undefined) {
    return rejected(execution, `${reasons.join("; ")}. Nobody is configured to approve it`);
  }
  const signal = execution.interrupted;
  const answer = await firstOf(
    (async () => approver({ ...execution.guardInput(), reasons, signal }))(),
    signal,
  );
  if (answer === "cancelled") {
    const message = "The call was cancelled while it waited for approval; it did not run.";
    return execution.failed({ code: "TOOL_CANCELLED", message });
  }
  execution.emit({
    type: "call.verdict",
    phase: "before",
    guard: "approval",
    verdict: answer.approved ? "allow" : "deny",
    ...(answer.by !== undefined && { reason: `answered by ${answer.by}` }),
  });
  if (!answer.approved) return rejected(execution, answer.reason ?? "it was not approved");
  if (answer.args === undefined) return undefined;
  execution.args = answer.args;
  return check(execution);
}

function rejected(execution: Execution, reason: string): ToolResult {
  return execution.failed({
    code: "TOOL_APPROVAL_REJECTED",
    message: `${execution.tool.name} did not run: ${reason}.`,
  });
}

/** An approver that fails has not approved. */
function firstOf(
  answer: Promise<ApprovalAnswer>,
  signal: AbortSignal,
): Promise<ApprovalAnswer | "cancelled"> {
  const safe = answer.then(
    (given): ApprovalAnswer =>
      typeof given?.approved === "boolean"
        ? given
        : { approved: false, reason: "the approver gave no answer" },
    (error): ApprovalAnswer => ({ approved: false, reason: `the approver failed: ${messageOf(error)}` }),
  );
  return new Promise((resolve) => {
    const onAbort = () => resolve("cancelled");
    signal.addEventListener("abort", onAbort, { once: true });
    void safe.then((given) => {
      signal.removeEventListener("abort", onAbort);
      resolve(given);
    });
  });
}
