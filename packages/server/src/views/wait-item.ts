import type { AnyTool, PendingApproval, Principal, Redactor } from "@toolrig/core";
import { defined, definitionIn, isSamePerson, type Wait } from "@toolrig/core/kit";
import type { Caller } from "../http/route.ts";
import type { ServedRig } from "../served-rig.ts";
import type { CallLine, InboxItem } from "../wire.ts";
import { excerptOf, gistOf } from "./gist.ts";
import { taintOf } from "./taint.ts";
import { safetyOf } from "./tool-line.ts";

/** What every kind of wait may keep. */
interface Body {
  args?: unknown;
  call?: { arguments?: unknown };
  options?: { source?: string; parentId?: string };
  message?: string;
  schema?: InboxItem["inputSchema"];
  outputSchema?: NonNullable<InboxItem["outputSchema"]>;
  left?: { call?: { arguments?: unknown } };
}

/** What waits for a person or a result. Code that goes on in the background waits for neither. */
export function isForInbox({ kind, end }: Wait): boolean {
  return kind !== "background" && end === undefined;
}

/** A call that waits, with nothing of it in memory, on one line. */
export function lineOfWait(wait: Wait, redactor: Redactor): CallLine {
  const { body, kind, note, runId, principal, createdAt, expiresAt } = wait;
  const { args, call, options, left } = (body ?? {}) as Body;
  // What has ended goes on, here or elsewhere.
  const waits = kind !== "background" && wait.end === undefined;
  return {
    executionId: wait.executionId,
    revision: 100,
    callId: wait.callId,
    name: wait.name,
    ...defined({ runId, parentId: options?.parentId, principal: principal?.id }),
    source: options?.source ?? (body as Partial<PendingApproval> | undefined)?.source ?? "model",
    gist: gistOf(args ?? call?.arguments ?? left?.call?.arguments, redactor),
    state: waits ? "waiting" : "running",
    startedAt: createdAt,
    ...(note !== undefined && { note: excerptOf(note, 200, redactor) }),
    ...(waits && {
      waiting: { kind, since: createdAt, ...defined({ expiresAt }) },
    }),
  };
}

/** A wait with all that somebody needs who decides on it. */
export async function inboxItem(
  rig: ServedRig,
  wait: Wait,
  caller: Caller,
  redactor: Redactor,
  withTaint = true,
): Promise<InboxItem> {
  const { id, kind, executionId, callId, name, runId, principal, createdAt, expiresAt, note } = wait;
  const { args, call, message, schema, left, outputSchema } = (wait.body ?? {}) as Body;
  const tool = rig.tools.get(name);
  const raw = call?.arguments ?? left?.call?.arguments;
  const inputSchema =
    (wait.body as Partial<PendingApproval> | undefined)?.inputSchema ??
    (tool === undefined ? undefined : definitionIn(rig.tools, tool).inputSchema);
  const taint = withTaint && kind === "approval" && runId !== undefined ? taintOf(rig, runId, createdAt) : [];
  return {
    id,
    kind,
    executionId,
    callId,
    name,
    ...defined({ runId }),
    ...(principal !== undefined && { principal: redactor.value(principal) as never }),
    sentence: sentenceOf(wait, tool, redactor),
    reasons: reasonsOf(wait, redactor),
    args: redactor.value(args ?? raw ?? rig.store?.ledger.get(executionId)?.args ?? {}),
    ...(raw !== undefined && { rawArguments: redactor.value(raw) }),
    ...defined({ inputSchema, outputSchema }),
    ...(kind === "question" && {
      question: { text: redactor.text(message ?? note ?? ""), ...defined({ schema }) },
    }),
    ...(taint.length > 0 && { taint }),
    ...(tool !== undefined && { safety: safetyOf(tool) }),
    createdAt,
    ...defined({ expiresAt }),
    ...(wait.end?.how === "approved" && {
      approved: { at: wait.end.at, ...(wait.end.by !== undefined && { by: redactor.text(wait.end.by.id) }) },
    }),
    may: mayAnswer(rig, wait, caller),
    ...(note !== undefined && { note: excerptOf(note, 300, redactor) }),
  };
}

function reasonsOf({ body, note }: Wait, redactor: Redactor): InboxItem["reasons"] {
  const { reasons = note === undefined ? [] : [note], askedBy = [] } = (body ??
    {}) as Partial<PendingApproval>;
  return reasons.map((reason, index) => {
    const guard = askedBy[index];
    return { text: redactor.text(reason), ...defined({ guard }) };
  });
}

const ASKS: Record<Wait["kind"], string> = {
  approval: "asks to call",
  question: "asks a question in",
  deferred: "waits for the result of",
  external: "handed out",
  background: "still runs",
};

/** "research-agent asks to call send_email to ann@example.com because it read an untrusted page." */
function sentenceOf(wait: Wait, tool: AnyTool | undefined, redactor: Redactor): string {
  const { kind, name, principal, note } = wait;
  const { args, message } = (wait.body ?? {}) as Body;
  const who = principal === undefined ? "A call" : excerptOf(principal.id, 60, redactor);
  const asks = wait.end === undefined ? ASKS[kind] : "may call and does not run";
  const what = `${who} ${asks} ${name}${kind === "question" ? "" : aimOf(args, tool, redactor)}`;
  const why = kind === "question" ? (message ?? note) : note;
  if (why === undefined || why === "") return `${what}.`;
  return `${what}${kind === "question" ? ":" : kind === "approval" ? " because" : ":"} ${excerptOf(why, 300, redactor)}`;
}

/** What a call is aimed at: the first argument that carries something out, or else the first of all, in few words. */
function aimOf(args: unknown, tool: AnyTool | undefined, redactor: Redactor): string {
  if (typeof args !== "object" || args === null) return "";
  const shown = redactor.value(args) as Record<string, unknown>;
  const names = [...(tool?.labels?.sinks ?? []), ...Object.keys(shown)];
  const name = names.find((each) => ["string", "number"].includes(typeof shown[each]));
  if (name === undefined) return "";
  const value = excerptOf(String(shown[name]), 80, redactor);
  return name === "to" ? ` to ${value}` : ` (${excerptOf(name, 40, redactor)} ${value})`;
}

/** Whether somebody would make up the result of a call that is made on their own behalf. Questions are for just them. */
export function isOwnResult({ kind, principal }: Wait, by: Principal): boolean {
  return (
    (kind === "deferred" || kind === "external") && principal !== undefined && isSamePerson(principal, by)
  );
}

function mayAnswer(rig: ServedRig, wait: Wait, { scopes, principal }: Caller): InboxItem["may"] {
  if (!scopes.includes("approve") && !scopes.includes("admin"))
    return { answer: false, why: 'The token has no scope "approve".' };
  // Somebody has answered: who runs it decides nothing.
  if (wait.end !== undefined) return { answer: true };
  const may =
    wait.kind === "approval"
      ? rig.approvals?.mayAnswer(principal, wait.body as PendingApproval) === true
      : rig.waits.mayAnswer(principal, wait) && !isOwnResult(wait, principal);
  if (may) return { answer: true };
  const why =
    wait.principal !== undefined && isSamePerson(wait.principal, principal)
      ? "The call is made on your behalf: somebody else must answer."
      : `"${principal.id}" may not answer for ${wait.name}.`;
  return { answer: false, why };
}
