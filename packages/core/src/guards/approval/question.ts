import { argumentsText, fingerprintOf } from "../../call/fingerprint.ts";
import { conform } from "../../coerce/conform.ts";
import { defined } from "../../defined.ts";
import type { ArgumentIssue } from "../../failure/failure.ts";
import type { PendingApproval } from "../../stores/approvals.ts";
import { definitionHash } from "../../tool/definition.ts";
import type { ApprovalRequest } from "./approver.ts";

/** The question about a call, as it is kept and shown. */
export function questionOf(
  request: ApprovalRequest,
  createdAt: number,
  expireAfterMs: number | undefined,
): PendingApproval {
  const { executionId, tool, args, asks, reasons, call, runId, principal, provider, source, editSchema } =
    request;
  return {
    executionId,
    fingerprint: fingerprintOf(tool, args),
    name: tool.name,
    args,
    reasons,
    askedBy: asks.map(({ guard }) => guard),
    callId: call.id,
    definition: definitionHash(tool.definition),
    source,
    createdAt,
    ...(asks.some(({ always }) => always) && { always: true as const }),
    ...defined({
      provider,
      inputSchema: editSchema,
      left: request.left,
      made: request.left ? undefined : request.made,
      runId,
      principal,
    }),
    ...(expireAfterMs !== undefined && { expiresAt: createdAt + expireAfterMs }),
  };
}

/**
 * What makes a question another than the one that was answered. The fingerprint is short enough to be met by chance; what
 * was shown to somebody is compared in full.
 */
export function whatDiffers(one: PendingApproval, other: PendingApproval): string | undefined {
  if (one.principal?.id !== other.principal?.id)
    return `another principal (${one.principal?.id ?? "none"}, not ${other.principal?.id ?? "none"})`;
  if (one.name !== other.name || (one.provider ?? other.provider) !== other.provider) return "another tool";
  if (one.definition !== other.definition) return "another definition of the tool";
  const isSame =
    one.fingerprint === other.fingerprint && argumentsText(one.args) === argumentsText(other.args);
  return isSame ? undefined : "other arguments";
}

/** As far as the schema in a question can say. What only the tool's own library knows is found out when the call goes on. */
export async function issuesOfEdit(
  { inputSchema }: PendingApproval,
  args: unknown,
): Promise<readonly ArgumentIssue[]> {
  if (inputSchema === undefined) return [];
  try {
    const answer = await conform(args, { jsonSchema: inputSchema }, { trusted: false });
    return answer.ok ? [] : answer.issues;
  } catch {
    return [];
  }
}
