import type { ArgumentIssue, Failure } from "@toolrig/core";
import { note } from "./output.ts";

/** Why a call failed, with every argument that is wrong. */
export function noteFailure({ kind, code, message, details }: Failure): void {
  note(`toolrig: ${code} (${kind}): ${message}`, "bad");
  const issues = (details as { arguments?: unknown } | undefined)?.arguments;
  if (!Array.isArray(issues)) return;
  for (const issue of issues as ArgumentIssue[]) note(`  ${issue.message}`, "bad");
}
