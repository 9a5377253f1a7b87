import type { PendingApproval } from "@toolrig/core";
import { type ApprovalDecision, type ApprovalEntry, speltOut } from "@toolrig/core/kit";
import { roomOf } from "../../terminal/output.ts";
import { redacted, redactedText } from "../../terminal/redaction.ts";

/** A page that fits on a screen: so many lines, of so many characters. */
const PAGE_LINES = 40;
const PAGE_WIDTH = 100;
/** However narrow the terminal is. */
const LEAST_WIDTH = 40;
/** Arguments that are longer are shown in a list by their beginning and their end. */
const MAX_LISTED = 300;
const LISTED_START = 180;
const LISTED_END = 60;

/** Everything there is to know before an answer: who asks, for whom, why, and all of the arguments, in pages. */
export function questionPages(entry: ApprovalEntry): string[][] {
  const lines = questionLines(entry).flatMap((line) => pieces(speltOut(line)));
  const pages: string[][] = [];
  for (let at = 0; at < lines.length; at += PAGE_LINES) pages.push(lines.slice(at, at + PAGE_LINES));
  return pages;
}

/** Who wants to know, and why: "policy: mail leaves the house". */
export function reasonsOf({ reasons, askedBy = [] }: PendingApproval): string[] {
  return reasons.map((reason, index) => {
    const guard = askedBy[index];
    // Each by itself: the name of a guard does not make a secret of what it says.
    return guard === undefined ? shownText(reason) : `${shownText(guard)}: ${shownText(reason)}`;
  });
}

/** What others wrote, without secrets, and with nothing in it that hides. */
export function shownText(text: string): string {
  return speltOut(redactedText(text));
}

/** Arguments on one line. Of long ones it is said that there is more. */
export function listedArguments(args: unknown): string {
  const text = speltOut(JSON.stringify(redacted(args)) ?? "-");
  if (text.length <= MAX_LISTED) return text;
  const left = text.length - LISTED_START - LISTED_END;
  return `${text.slice(0, LISTED_START)} …(${left} characters more)… ${text.slice(-LISTED_END)}`;
}

/** "waits", "denied by ada: not today", "approved by ada, edited". */
export function answerText(decision: ApprovalDecision | undefined): string {
  if (decision === undefined) return "waits";
  const by = "by" in decision ? ` by ${shownText(decision.by.id)}` : "";
  const edited = editedTo(decision) === undefined ? "" : ", edited";
  const why = "reason" in decision && decision.reason !== undefined ? `: ${shownText(decision.reason)}` : "";
  return escapeBreaks(`${decision.decision}${by}${edited}${why}`);
}

/** What whoever approved a call has changed its arguments to. */
export function editedTo(decision: ApprovalDecision | undefined): unknown {
  return decision?.decision === "approved" ? decision.args : undefined;
}

function questionLines({ pending, decision }: ApprovalEntry): string[] {
  const { executionId, name, provider, args, principal, runId, source, createdAt, expiresAt } = pending;
  const fields: [name: string, value: string | undefined][] = [
    ["execution", executionId],
    ["tool", shownText(provider === undefined ? name : `${name}, from ${provider}`)],
    ["for", shownText(principal?.id ?? "nobody in particular")],
    ["in run", runId],
    ["called by", source],
    ["asked", time(createdAt)],
    ["until", expiresAt === undefined ? undefined : time(expiresAt)],
    ["state", answerText(decision)],
    ["answered", decision === undefined ? undefined : time(decision.at)],
  ];
  const edited = editedTo(decision);
  return [
    ...fields.flatMap(([field, value]) =>
      value === undefined ? [] : [`${field.padEnd(11)}${escapeBreaks(value)}`],
    ),
    ...reasonsOf(pending).map((reason) => `${"because".padEnd(11)}${escapeBreaks(reason)}`),
    "arguments",
    ...jsonLines(args),
    ...(edited === undefined ? [] : ["edited to", ...jsonLines(edited)]),
    `fingerprint ${pending.fingerprint}`,
  ];
}

function jsonLines(value: unknown): string[] {
  return (JSON.stringify(redacted(value), undefined, 2) ?? "-").split("\n");
}

/** What others wrote cannot begin a line that looks like another field. */
function escapeBreaks(text: string): string {
  return text.replaceAll("\n", "\\n");
}

/** A line that goes on says so, so that what others wrote cannot begin one. */
function pieces(line: string): string[] {
  const width = Math.max(LEAST_WIDTH, Math.min(PAGE_WIDTH, Math.min(roomOf("stdout"), roomOf("stderr")) - 2));
  const found = [line.slice(0, width)];
  for (let at = width; at < line.length; at += width) found.push(`… ${line.slice(at, at + width)}`);
  return found;
}

function time(at: number): string {
  return new Date(at).toISOString();
}
