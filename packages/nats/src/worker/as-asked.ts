import type { ToolResult } from "@toolrig/core";
import type { CallMessage } from "../wire/messages.ts";

/** A result of the pipeline's as its caller asked for it: under the execution id that the caller chose. */
export function asAsked({ executionId }: Pick<CallMessage, "executionId">, result: ToolResult): ToolResult {
  if (result.executionId === executionId) return result;
  const { waiting } = result;
  if (waiting === undefined) return { ...result, executionId };
  return { ...result, executionId, waiting: { ...waiting, id: withExecution(executionId, waiting.id) } };
}

/** The id of a wait under another id of its execution. */
export function withExecution(executionId: string, waitId: string): string {
  return `${executionId}${waitId.slice(waitId.lastIndexOf(":"))}`;
}
