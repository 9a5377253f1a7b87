import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type Server,
} from "@modelcontextprotocol/server";
import type { AnyTool } from "@toolrig/core";
import { isWaiting, newId } from "@toolrig/core/kit";
import { type CallContext, callFor, type Serving, type Wanted } from "./call.ts";
import type { Caller } from "./caller.ts";
import { laterLink, laterOf } from "./later.ts";
import { beginTask, taskOf } from "./tasks/serve-tasks.ts";
import type { Tasks } from "./tasks/tasks.ts";
import { toldResult } from "./told-result.ts";
import { CALL_TOOL } from "./view.ts";

/** Answers `tools/call`. Throws a `ProtocolError` for a tool that the caller's view does not have. */
export async function callTool(
  server: Server,
  serving: Serving,
  caller: Caller,
  name: string,
  args: unknown,
  ctx: CallContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { wanted, tool } = wantedTool(serving, caller, name, args);
  if (tool === undefined) return refuseUnknown(caller, wanted);
  const result = await callFor(serving, caller, wanted, ctx);
  if (isInputRequiredResult(result)) return result;
  if (!isWaiting(result)) return toldResult(server, serving, caller, tool, result);
  const task = mayBeTask(serving, tool, wanted) ? taskOf(serving, caller, wanted, ctx, result) : undefined;
  if (task !== undefined) return task as CallToolResult;
  const told = toldResult(server, serving, caller, tool, result);
  const later = laterOf(result, wanted, caller, serving);
  return later === undefined ? told : { ...told, content: [...told.content, laterLink(later)] };
}

/** Answers `tools/call` of a client before 2026-07-28 that wants the call as a task. */
export async function callAsTask(
  server: Server,
  serving: Serving & { readonly tasks: Tasks },
  caller: Caller,
  name: string,
  args: unknown,
  { ttl }: { readonly ttl?: unknown },
): Promise<Result> {
  const { wanted, tool } = wantedTool(serving, caller, name, args);
  if (tool === undefined) return refuseUnknown(caller, wanted);
  if (!mayBeTask(serving, tool, wanted))
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `"${tool.name}" cannot be called as a task.`);
  return beginTask(server, serving, caller, wanted, ttl);
}

/** Whether the rig itself knows what calls wait for, so that they can be tasks. */
export function hasTasks(serving: Serving): serving is Serving & { readonly tasks: Tasks } {
  return serving.tasks !== undefined;
}

/** Only a call that is found by its execution can be a task: any other would be called again by a client that comes back. */
function mayBeTask({ parts }: Serving, { ledger }: AnyTool, { executor }: Wanted): boolean {
  return ledger && executor === parts.executor;
}

/** The tool that a client names, looked up in its view. */
function wantedTool(
  { parts }: Serving,
  { view }: Caller,
  name: string,
  given: unknown,
): { wanted: Wanted; tool: AnyTool | undefined } {
  const method = "tools/call";
  const { searcher } = view;
  if (searcher !== undefined && name === searcher.tool.name)
    return { wanted: { method, name, args: given, executor: searcher.executor }, tool: searcher.tool };
  const inner = searcher !== undefined && name === CALL_TOOL ? (given as InnerCall | undefined) : undefined;
  const called = inner === undefined ? name : String(inner.name);
  const tool = view.source.get(called);
  const args = inner === undefined ? given : inner.arguments;
  const goesOn = tool?.backgroundMs !== undefined;
  return { wanted: { method, name: called, args, executor: parts.executor, goesOn }, tool };
}

interface InnerCall {
  name?: unknown;
  arguments?: unknown;
}

/** A tool outside the view does not exist for the client, even if the rig has it. The attempt is recorded. */
async function refuseUnknown(
  { view, principal, runId }: Caller,
  { name, args, executor }: Wanted,
): Promise<never> {
  const message = view.unknown(name);
  const options = { source: "mcp", principal, refusal: { code: "TOOL_NOT_FOUND", message } } as const;
  const call = { id: newId("mcp"), name, arguments: args };
  if (executor.refuses) await executor.call(call, runId === undefined ? options : { ...options, runId });
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
