import type { CallOptions, ToolCall } from "@toolrig/core";
import type { AssistantPart, ToolCallPart } from "../model/message.ts";
import type { RunState } from "../run/state.ts";

export function asCall({ id, name, arguments: text }: ToolCallPart): ToolCall {
  return { id, name, arguments: text };
}

/**
 * Who makes the calls of a message, and as part of what. The same for those that run, those that are refused, and those that
 * are made again.
 */
export function callOptions(
  { trace, principal, signal }: RunState,
  { content }: { content: readonly AssistantPart[] },
): CallOptions {
  const options: CallOptions = { signal, runId: trace.runId, requestId: trace.requestId };
  if (trace.stepName !== undefined) options.stepName = trace.stepName;
  if (trace.parentId !== undefined) options.parentId = trace.parentId;
  if (principal !== undefined) options.principal = principal;
  if (content.some((part) => part.type === "tool-call" && part.extracted !== undefined)) {
    options.source = "extracted";
  }
  return options;
}
