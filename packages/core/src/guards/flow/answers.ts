import { type DataLabels, joinLabels } from "../../call/labels.ts";
import type { ToolResult } from "../../call/result.ts";
import type { FailureCode } from "../../failure/codes.ts";
import type { Labels } from "../../tool/labels.ts";
import { hasSideEffects } from "../../tool/safety.ts";
import type { AnyTool } from "../../tool/tool.ts";

/** Refusals in this program's own words, of calls that never came to their tool. */
const REFUSALS: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "TOOL_ARGUMENTS_INVALID_JSON",
  "TOOL_NOT_ALLOWED",
  "TOOL_BLOCKED",
  "TOOL_APPROVAL_REJECTED",
  "TOOL_RATE_LIMITED",
  "TOOL_CANCELLED",
  "TOOL_BUDGET_EXCEEDED",
  "TOOL_REPEATED",
]);

/** Other failures may be in the tool's words though it did not run: why it is not available, what its `prepare` threw. */
export function isOwnRefusal(
  tool: AnyTool,
  { attempts, isError, cached, replayed, failure }: ToolResult,
): boolean {
  if (attempts > 0 || !isError || cached === true || replayed === true) return false;
  // What is wrong with the arguments is told with the words of a schema, which may have come from outside.
  if (tool.prepare !== undefined || !tool.trusted) return false;
  return failure !== undefined && (failure.kind === "validation" || REFUSALS.has(failure.code));
}

/**
 * What a result is, of what its tool says and what came of the calls that it made. The answer of a tool with side effects
 * often shows what it changed, with whatever others wrote into that: it vouches only where its tool says so.
 */
export function joinedLabels(tool: AnyTool, declared: Labels, given: DataLabels | undefined): DataLabels {
  const { integrity, confidentiality = "public", source = tool.name } = declared;
  const vouches = integrity !== undefined || !hasSideEffects(tool.safety);
  const own: DataLabels = { integrity: integrity ?? "trusted", confidentiality, source };
  const joined = joinLabels(own, given) ?? own;
  if (vouches || joined.integrity === "untrusted") return joined;
  const { integrity: _, ...rest } = joined;
  return rest;
}

/**
 * Fields of an untrusted answer that the service assigns, as its tool says. Undefined for an answer that is untrusted for
 * other reasons than its tool's word, as one is that was made of another untrusted answer.
 */
export function assignedIn(declared: Labels, given: ToolResult): ReadonlySet<string> | undefined {
  const { integrity, assigned = [] } = declared;
  if (integrity !== "untrusted" || assigned.length === 0 || given.labels?.integrity === "untrusted")
    return undefined;
  return new Set(assigned);
}

/** What a result is where no guard follows what a run reads. What came from outside is untrusted unless its tool says otherwise. */
export function labelsWithoutGuard(tool: AnyTool, given: DataLabels | undefined): DataLabels {
  const { integrity = tool.trusted ? undefined : "untrusted", ...declared } = tool.labels ?? {};
  return joinedLabels(tool, integrity === undefined ? declared : { ...declared, integrity }, given);
}
