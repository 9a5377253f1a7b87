import { PREPARING } from "../../call/call-state.ts";
import type { ToolResult } from "../../call/result.ts";
import type { Waiting } from "../../call/waiting.ts";
import { defined } from "../../defined.ts";
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approver,
  type Ask,
  approvalAnswer,
} from "../../guards/approval/approver.ts";
import { messageOf } from "../../plain.ts";
import { checkEdit, editSchema, validateEdit } from "../edit.ts";
import type { Resolved } from "../execution.ts";
import { INTERRUPTED, SILENT, silence, unlessInterrupted } from "../interruption.ts";
import { judgeAgain } from "../judge-again.ts";
import { guardInput } from "../verdicts.ts";
import { leftCall, madeCall } from "../waiting/left-call.ts";
import { atRest } from "../waiting/rest.ts";
import { waitingResult } from "../waiting/waiting-result.ts";

/** Waits until somebody answers for a call that guards asked about. Undefined when it may run. */
export async function approve(execution: Resolved, asks: readonly Ask[]): Promise<ToolResult | undefined> {
  const { services } = execution;
  const { approver } = services;
  const reasons = asks.map(({ reason }) => reason);
  if (approver === undefined) {
    return rejected(execution, `${reasons.join("; ")}. Nobody is configured to approve it`);
  }
  const request: ApprovalRequest = {
    ...guardInput(execution),
    asks,
    reasons,
    checkEdit: (args) => checkEdit(execution, args),
    editSchema: editSchema(execution),
    signal: execution.interrupted,
    holds: execution.isHeld,
    left: leftCall(execution),
    made: madeCall(execution),
    waits(waiting) {
      since ??= { waiting, at: services.clock.now() };
      if (execution.state.at === "preparing")
        execution.move({ at: "asking", open: [waiting], restarts: false });
      execution.emit({ type: "call.waiting", waiting, parked: false });
    },
  };
  let since: { waiting: Waiting; at: number } | undefined;
  const asked = unlessInterrupted(execution, ask(approver, request));
  const answer = await (execution.parent === undefined ? asked : atRest(execution, asked));
  if (since !== undefined) resumed(execution, since, answer);
  if (execution.state.at === "asking") execution.move(PREPARING);
  if (answer !== INTERRUPTED && answer.approved === undefined) {
    execution.emit({ type: "call.waiting", waiting: answer.waiting, parked: true });
    return waitingResult(execution, answer.waiting);
  }
  if (answer === INTERRUPTED) return cancelled(execution, "while it waited for approval");
  execution.emit({
    type: "call.verdict",
    phase: "before",
    guard: "approval",
    verdict: answer.approved ? "allow" : "deny",
    reason: describe(answer),
  });
  if (!answer.approved) return rejected(execution, answer.reason ?? "it was not approved");
  if (answer.args === undefined) return undefined;
  const settled = await unlessInterrupted(execution, takeEdit(execution, answer.args), {
    limitMs: execution.services.answerMs,
  });
  if (settled === INTERRUPTED) return cancelled(execution, "while its edited arguments were judged");
  return settled === SILENT ? silent(execution) : settled;
}

/** Validates arguments that an approver changed, and asks everybody about them. The question itself has been answered. */
async function takeEdit(execution: Resolved, args: unknown): Promise<ToolResult | undefined> {
  const { guards } = execution.services;
  const invalid = await validateEdit(execution, args);
  return invalid ?? judgeAgain(execution, { guards, judged: 0, mayAsk: false });
}

function cancelled(execution: Resolved, when: string): ToolResult {
  const message = `The call was cancelled ${when}; it did not run.`;
  return execution.failed({ code: "TOOL_CANCELLED", message });
}

/** Whoever does not answer has not allowed the call. */
function silent(execution: Resolved): ToolResult {
  const { tool, services } = execution;
  const who = "a validator, hook or guard that was asked about its edited arguments";
  const message = `${tool.name} did not run: ${who} gave ${silence(services.answerMs)}.`;
  return execution.failed({ code: "TOOL_UNAVAILABLE", message });
}

function resumed(
  execution: Resolved,
  { waiting, at }: { waiting: Waiting; at: number },
  answer: ApprovalAnswer | typeof INTERRUPTED,
): void {
  const waitedMs = Math.max(0, execution.services.clock.now() - at);
  execution.waiting.waitedMs += waitedMs;
  const how = answer === INTERRUPTED ? "cancelled" : answer.approved ? "approved" : "denied";
  const by = answer === INTERRUPTED || answer.approved === undefined ? undefined : answer.by;
  execution.emit({
    type: "call.resumed",
    waiting,
    how,
    waitedMs,
    ...defined({ by }),
  });
}

function describe(answer: Exclude<ApprovalAnswer, { approved: undefined }>): string {
  const grant = answer.approved && answer.grant !== undefined ? `grant ${answer.grant} of ` : "";
  const who = answer.by === undefined ? "answered" : `answered by ${grant}${answer.by.id}`;
  if (!answer.approved) return answer.reason === undefined ? who : `${who}: ${answer.reason}`;
  return answer.args === undefined ? who : `${who}, with other arguments`;
}

function rejected(execution: Resolved, reason: string): ToolResult {
  return execution.failed({
    code: "TOOL_APPROVAL_REJECTED",
    message: `${execution.tool.name} did not run: ${reason}.`,
  });
}

/** An approver that fails has not approved. */
async function ask(approver: Approver, request: ApprovalRequest): Promise<ApprovalAnswer> {
  try {
    const given = await approver(request);
    if (typeof given?.approved === "boolean") {
      approvalAnswer.checkMembers(given);
      return given;
    }
    if (given !== undefined && "waiting" in given && !request.holds) return given;
    return { approved: false, reason: "the approver gave no answer" };
  } catch (error) {
    return { approved: false, reason: `the approver failed: ${messageOf(error)}` };
  }
}
