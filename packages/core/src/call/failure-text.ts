import type { FailureKind } from "../failure/codes.ts";
import type { ArgumentIssue, Failure } from "../failure/failure.ts";
import type { ContentPart } from "./content.ts";

/** What the model should make of a failure, by kind: whose fault it is and what to do next. */
const ADVICE: Record<FailureKind, string> = {
  validation: "Correct the arguments and call the tool again.",
  not_found: "",
  denied: "Do not repeat this call; do something else or tell the user.",
  unavailable: "This is not caused by your arguments.",
  transient: "This is not caused by your arguments; it may succeed later.",
  timeout: "",
  cancelled: "",
  unknown: "Verify what happened before you try again.",
  budget: "Do not repeat this call; use what you have or do something else.",
  fatal: "",
};

/** A failure as the model reads it. Made from the data at the edge; nothing parses it back. */
export function failureContent(failure: Failure): ContentPart[] {
  const lines = [`Error (${failure.code}): ${failure.message}`];
  for (const issue of argumentIssues(failure)) {
    if (typeof issue?.message === "string") lines.push(`- ${issue.message}`);
  }
  // What cannot be read as JSON is told with what to send instead, which is not always other arguments.
  const advice = failure.code === "TOOL_ARGUMENTS_INVALID_JSON" ? "" : ADVICE[failure.kind];
  if (advice !== "") lines.push(advice);
  return [{ type: "text", text: lines.join("\n") }];
}

function argumentIssues({ details }: Failure): readonly (Partial<ArgumentIssue> | null)[] {
  if (typeof details !== "object" || details === null || !("arguments" in details)) return [];
  return Array.isArray(details.arguments) ? details.arguments : [];
}
