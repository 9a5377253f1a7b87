import type { CallOptions, ToolCall, ToolResult } from "@toolrig/core";
import { defined, isWaiting, newId } from "@toolrig/core/kit";
import { json, type Reply } from "../http/reply.ts";
import type { Ask, Caller } from "../http/route.ts";
import { traceOf } from "../http/trace.ts";
import { writableResult } from "../live/writable-result.ts";
import { stateOf } from "../views/call-line.ts";
import type { CallRequest, CallStatus } from "../wire.ts";
import { statusOf } from "./call-status.ts";
import type { Context } from "./context.ts";

/** Of a request for a call, what does not depend on the route. */
export type Asked = Pick<Ask, "caller" | "header" | "signal" | "life" | "ended">;

export function callOf({
  id,
  name,
  arguments: args,
  version,
}: Pick<CallRequest, "id" | "name" | "arguments" | "version">): ToolCall {
  return {
    id: id ?? newId("call"),
    name,
    ...defined({ arguments: args, version }),
  };
}

export function optionsOf(
  { runId, requestId, onWaiting }: Pick<CallRequest, "runId" | "requestId" | "onWaiting">,
  ask: Asked,
): CallOptions {
  const { acting, allow } = ask.caller;
  return {
    ...traceOf(ask),
    source: "http",
    principal: acting,
    // Nobody has to come back for one that waits: it goes on once it is answered, here or where the store is opened next.
    onWaiting: onWaiting === "hold" ? "hold" : "continue",
    ...defined({ runId, requestId, allow }),
  };
}

/**
 * When a call ends that is held for its caller. It may take days: then a token that is no longer good is as a client that goes away.
 */
export function signalOf({ signal, ended }: Asked): AbortSignal {
  return AbortSignal.any([signal, ended]);
}

/** What came of a call: its result, or how it stands while it waits. */
export async function answer(context: Context, result: ToolResult, caller: Caller): Promise<Reply> {
  if (!isWaiting(result)) return resultReply(result);
  const { executionId } = result;
  const known = await statusOf(context, executionId, caller);
  const status: CallStatus = known ?? {
    ...pending(executionId, { name: result.name, id: result.callId }),
    state: stateOf(result),
  };
  return notOver({ ...status, result });
}

/** A call that was made is answered: what cannot be written of its result is left out, and what models are shown stays. */
export function resultReply(result: ToolResult): Reply {
  try {
    return json(result);
  } catch {
    return json(writableResult(result).result);
  }
}

/** The same for several. */
export function resultsReply(results: readonly ToolResult[]): Reply {
  try {
    return json({ results });
  } catch {
    return json({ results: results.map((each) => writableResult(each).result) });
  }
}

/** Of a call that is not over. */
export function notOver(status: CallStatus): Reply {
  return json(status, 202, { location: `/api/v1/calls/${status.executionId}` });
}

/** Of a call that nothing is known of yet. */
export function pending(executionId: string, { name, id = executionId }: CallRequest): CallStatus {
  const line = {
    executionId,
    revision: 0,
    callId: id,
    name,
    source: "http",
    gist: "",
    startedAt: Date.now(),
  };
  return { executionId, state: "running", line: { ...line, state: "running" } };
}
