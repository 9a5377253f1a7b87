import type { CallOptions, ToolCall, ToolResult } from "@toolrig/core";
import { newId } from "@toolrig/core/kit";
import { RequestProblem } from "../http/problem.ts";
import { json } from "../http/reply.ts";
import { type Ask, type Caller, type Route, route } from "../http/route.ts";
import { traceOf } from "../http/trace.ts";
import { executionForKey } from "../live/call-desk.ts";
import { callRequest } from "../schemas/calls.ts";
import { list, ref } from "../schemas/shape.ts";
import { stateOf } from "../views/call-line.ts";
import type { CallRequest, CallStatus } from "../wire.ts";
import { statusOf } from "./call-status.ts";
import type { Context } from "./context.ts";

const KEY = /^[\x21-\x7e]{1,255}$/;
const MOST_CALLS = 100;

/** Of a request, what does not depend on the route. */
type Asked = Pick<Ask, "caller" | "header" | "signal" | "ended">;

interface BatchRequest extends Pick<CallRequest, "runId" | "requestId" | "onWaiting"> {
  calls: Pick<CallRequest, "id" | "name" | "arguments" | "version">[];
  mode?: "parallel" | "sequential";
}

/**
 * A call that was made is answered with 200 and its result, whatever came of it: what failed is in the result. Status codes of
 * failure would make clients and proxies send a call again that may have happened.
 */
export function callRoutes(context: Context): Route[] {
  return [
    route<{ body: CallRequest }>({
      method: "POST",
      path: "/calls",
      id: "callTool",
      tag: "calls",
      summary: "Call a tool",
      description:
        "A call that was made is answered with 200 and its result, also when it failed: `isError` and `failure` say so. 202 is for calls that are not over: with `Prefer: respond-async` or `async`, and those that wait. A call without Idempotency-Key is cancelled when the client goes away before the answer.",
      needs: "call",
      headers: {
        "Idempotency-Key":
          "Up to 255 characters. The same key with the same request is the same execution: it is not made again",
        Prefer: "respond-async: answer at once with 202",
      },
      body: callRequest,
      answers: {
        200: { description: "What it came to", schema: ref("ToolResult") },
        202: {
          description: "It is not over",
          schema: ref("CallStatus"),
          headers: { Location: "Where its result will be" },
        },
      },
      async handle(ask) {
        const { body } = ask;
        if (body.runId !== undefined) await context.owners.join(body.runId, ask.caller);
        const key = ask.header("idempotency-key");
        const isAsync = body.async === true || /\brespond-async\b/i.test(ask.header("prefer") ?? "");
        if (key === undefined && !isAsync) return callNow(context, body, ask);
        return callKept(context, body, ask, key, isAsync);
      },
    }),
    route<{ body: BatchRequest }>({
      method: "POST",
      path: "/calls/batch",
      id: "callTools",
      tag: "calls",
      summary: "Call several tools as one batch",
      description:
        "Results are in the order of the calls. Each call takes a place of its own among those under way.",
      needs: "call",
      body: batchSchema(),
      answers: {
        200: {
          description: "What they came to",
          schema: { type: "object", properties: { results: list(ref("ToolResult")) }, required: ["results"] },
        },
      },
      async handle(ask) {
        const { body } = ask;
        const { desk, rig, owners } = context;
        if (body.runId !== undefined) await owners.join(body.runId, ask.caller);
        const places = body.calls.length;
        const isHeld = body.onWaiting === "hold";
        await desk.enter(places, isHeld);
        try {
          const results = await rig.batch(body.calls.map(callOf), {
            ...optionsOf(body, ask),
            signal: signalOf(body, ask),
            ...(body.mode !== undefined && { mode: body.mode }),
          });
          return json({ results });
        } finally {
          desk.leave(places, isHeld);
        }
      },
    }),
  ];
}

function batchSchema() {
  const {
    onWaiting,
    runId,
    requestId,
    id,
    name,
    arguments: args,
    version,
  } = callRequest.properties as Record<string, object>;
  const call = { ...callRequest, properties: { id, name, arguments: args, version } };
  return {
    type: "object",
    properties: {
      calls: { type: "array", items: call, minItems: 1, maxItems: MOST_CALLS },
      mode: { type: "string", enum: ["parallel", "sequential"] },
      onWaiting,
      runId,
      requestId,
    },
    required: ["calls"],
    additionalProperties: false,
  };
}

async function callNow(context: Context, body: CallRequest, ask: Asked): Promise<Response> {
  const { desk } = context;
  const place = desk.enter(1, body.onWaiting === "hold");
  if (place !== undefined) await place;
  const result = await desk.make(
    callOf(body),
    { ...optionsOf(body, ask), signal: signalOf(body, ask) },
    ask.caller,
  );
  return answer(context, result, ask.caller);
}

async function callKept(
  context: Context,
  body: CallRequest,
  ask: Asked,
  key: string | undefined,
  isAsync: boolean,
): Promise<Response> {
  const { desk } = context;
  const executionId = key === undefined ? newId("exec") : keyedExecution(context, key, body, ask.caller);
  const find = () =>
    key === undefined ? undefined : (desk.resultOf(executionId) ?? pastResult(context, executionId));
  let making: ToolResult | Promise<ToolResult> | undefined = find();
  if (making === undefined) {
    const isHeld = body.onWaiting === "hold";
    const place = desk.enter(1, isHeld);
    if (place !== undefined) await place;
    // Somebody with the same key may have come first.
    making = place === undefined ? undefined : find();
    if (making !== undefined) desk.leave(1, isHeld);
  }
  making ??= desk.makeKept(callOf(body), { ...optionsOf(body, ask), executionId }, ask.caller);
  if (!isAsync) return answer(context, await heldFor(body, ask, making), ask.caller);
  Promise.resolve(making).catch(() => {});
  const status = await statusOf(context, executionId, ask.caller);
  return json(status ?? pending(executionId, body), 202, { location: `/api/v1/calls/${executionId}` });
}

/**
 * When a call ends whose caller is gone. A held one may take days: then a token that is no longer good is as a client that goes
 * away.
 */
function signalOf({ onWaiting }: Pick<CallRequest, "onWaiting">, { signal, ended }: Asked): AbortSignal {
  return onWaiting === "hold" ? AbortSignal.any([signal, ended]) : signal;
}

/** The result of a call that goes on without its caller, unless the caller's token is no longer good by then. */
async function heldFor(
  { onWaiting }: CallRequest,
  { ended }: Asked,
  making: ToolResult | Promise<ToolResult>,
): Promise<ToolResult> {
  if (onWaiting !== "hold") return making;
  const gone = Promise.withResolvers<never>();
  const leave = () =>
    gone.reject(
      new RequestProblem("TOKEN_INVALID", "The token was revoked or expired while the call waited."),
    );
  ended.addEventListener("abort", leave);
  try {
    return await Promise.race([making, gone.promise]);
  } finally {
    ended.removeEventListener("abort", leave);
  }
}

/** Of a call that a process before this one recorded. What the ledger knows of, it answers itself, with nothing left out. */
function pastResult({ rig: { store } }: Context, executionId: string): ToolResult | undefined {
  if (store === undefined || store.ledger.get(executionId) !== undefined) return undefined;
  const record = store.records.get(executionId).records.at(-1);
  return record && { ...record.result, attempts: 0, replayed: true };
}

/** Of a call that nothing is known of yet. */
function pending(executionId: string, { name, id = executionId }: CallRequest): CallStatus {
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

/** Throws a problem when the key was used for another request, by this process or one before it. */
function keyedExecution({ rig, desk }: Context, key: string, body: CallRequest, { acting }: Caller): string {
  if (!KEY.test(key))
    throw new RequestProblem("REQUEST_INVALID", "Idempotency-Key must be 1 to 255 visible ASCII characters.");
  const { name, arguments: args, version, id: callId, runId, requestId } = body;
  const request = { name, args, version, callId, runId, requestId };
  const { id, prefix } = executionForKey(acting.id, key, request);
  const other =
    desk.otherOf(prefix, id) ??
    rig.store
      ?.find(prefix, { endings: false })
      .executions.find((each) => each !== id && each.length === id.length);
  if (other !== undefined)
    throw new RequestProblem(
      "IDEMPOTENCY_KEY_REUSED",
      "This key was sent before with another request. Take a new one.",
    );
  return id;
}

function callOf({
  id,
  name,
  arguments: args,
  version,
}: Pick<CallRequest, "id" | "name" | "arguments" | "version">): ToolCall {
  return {
    id: id ?? newId("call"),
    name,
    ...(args !== undefined && { arguments: args }),
    ...(version !== undefined && { version }),
  };
}

function optionsOf(
  { runId, requestId, onWaiting }: Pick<CallRequest, "runId" | "requestId" | "onWaiting">,
  ask: Asked,
): CallOptions {
  const { acting, allow } = ask.caller;
  return {
    ...traceOf(ask),
    source: "http",
    principal: acting,
    // Nobody has to come back for one that waits: it goes on once it is answered, here or where the store is opened next.
    onWaiting: onWaiting === "hold" ? "hold" : "leave",
    ...(runId !== undefined && { runId }),
    ...(requestId !== undefined && { requestId }),
    ...(allow !== undefined && { allow }),
  };
}

async function answer(context: Context, result: ToolResult, caller: Caller): Promise<Response> {
  if (result.waiting === undefined) return json(result);
  const { executionId } = result;
  const known = await statusOf(context, executionId, caller);
  const status: CallStatus = known ?? {
    ...pending(executionId, { name: result.name, id: result.callId }),
    state: stateOf(result),
  };
  return json({ ...status, result }, 202, { location: `/api/v1/calls/${executionId}` });
}
