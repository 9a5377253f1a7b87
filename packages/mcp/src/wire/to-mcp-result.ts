import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ToolResult } from "@toolrig/core";
import { toPlain } from "@toolrig/core/kit";
import { toMcpContent } from "./to-mcp-content.ts";

/** Under these keys of `_meta` a client finds the call in the records, and why it failed. */
const EXECUTION_META = "toolrig/executionId";
const FAILURE_META = "toolrig/failure";

/**
 * What became of a call, for a client. `structured` when the tool has told an output schema: clients then refuse a success
 * without structured content, so a call that is not over yet does not count as one.
 */
export function toMcpResult(result: ToolResult, structured: boolean): CallToolResult {
  const { content, value, failure, executionId, waiting } = result;
  const isError = result.isError || (structured && waiting !== undefined);
  const meta: Record<string, unknown> = { [EXECUTION_META]: executionId };
  if (failure !== undefined) {
    const { kind, code, retryable } = failure;
    meta[FAILURE_META] = { kind, code, retryable };
  }
  const told: CallToolResult = { content: toMcpContent(content), _meta: meta };
  if (isError) told.isError = true;
  else if (structured && value !== undefined) told.structuredContent = serialisable(value) as never;
  return told;
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
