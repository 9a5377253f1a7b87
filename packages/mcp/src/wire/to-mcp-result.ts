import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ContentPart, ToolResult } from "@toolrig/core";
import { defined, isContentPart, toPlain } from "@toolrig/core/kit";
import { carriedIn, errorIn } from "./carried.ts";
import { toMcpContent, type UriOf } from "./to-mcp-content.ts";

/** Under these keys of `_meta` a client finds the call in the records, and why it failed. */
const EXECUTION_META = "toolrig/executionId";
const FAILURE_META = "toolrig/failure";

/**
 * What became of a call, for a client. `structured` when the tool has told an output schema: clients then refuse a success
 * without structured content, so a call that is not over yet does not count as one.
 */
export function toMcpResult(result: ToolResult, structured: boolean, uriOf?: UriOf): CallToolResult {
  const { content, value, failure, executionId, waiting, details } = result;
  const isError = result.isError || (structured && waiting !== undefined);
  const carried = carriedIn(details);
  const meta: Record<string, unknown> = { ...carried.meta, [EXECUTION_META]: executionId };
  if (failure !== undefined) {
    const { kind, code, retryable } = failure;
    meta[FAILURE_META] = { kind, code, retryable, ...defined({ error: errorIn(failure.details) }) };
  }
  const told: CallToolResult = { content: toMcpContent(content, uriOf), _meta: meta };
  if (isError) {
    told.isError = true;
    told.content.push(...toMcpContent(beside(details), uriOf));
  }
  const isTold = carried.structured === true || (structured && !isError);
  if (isTold && value !== undefined) told.structuredContent = serialisable(value) as never;
  return told;
}

/** What a server's failed call came to beside its words, which the failure has. */
function beside(details: unknown): ContentPart[] {
  const { content, mcp } = Object(details) as { content?: unknown; mcp?: unknown };
  if (mcp === undefined || !Array.isArray(content)) return [];
  return content.filter((part) => isContentPart(part) && part.type !== "text");
}

/**
 * What is sent, as it is now: a value that cannot be, or no longer when it is written, would leave the request without an answer.
 */
function serialisable(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return toPlain(value);
  }
}
