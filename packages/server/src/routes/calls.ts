import { defined, isWaiting } from "@toolrig/core/kit";
import type { Reply } from "../http/reply.ts";
import { type Route, route } from "../http/route.ts";
import { callRequest } from "../schemas/calls.ts";
import { list, ref } from "../schemas/shape.ts";
import type { CallRequest } from "../wire.ts";
import { type Asked, answer, callOf, optionsOf, resultReply, resultsReply, signalOf } from "./asked-call.ts";
import type { Context } from "./context.ts";
import { callKept } from "./kept-call.ts";

const MAX_CALLS = 100;

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
        return callKept(context, body, ask, { key, isAsync });
      },
    }),
    route<{ body: BatchRequest }>({
      method: "POST",
      path: "/calls/batch",
      id: "callTools",
      tag: "calls",
      summary: "Call several tools as one batch",
      description:
        "Results are in the order of the calls. Each call takes a place of its own among those under way; cancelling one leaves the others as they are.",
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
        const { desk, owners } = context;
        if (body.runId !== undefined) await owners.join(body.runId, ask.caller);
        await desk.slots.enter(body.calls.length, body.onWaiting === "hold");
        const results = await desk.makeBatch(body.calls.map(callOf), {
          ...optionsOf(body, ask),
          signal: body.onWaiting === "hold" ? signalOf(ask) : ask.signal,
          ...defined({ mode: body.mode }),
        });
        return resultsReply(results);
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
      calls: { type: "array", items: call, minItems: 1, maxItems: MAX_CALLS },
      mode: { type: "string", enum: ["parallel", "sequential"] },
      onWaiting,
      runId,
      requestId,
    },
    required: ["calls"],
    additionalProperties: false,
  };
}

async function callNow(context: Context, body: CallRequest, ask: Asked): Promise<Reply> {
  const { desk } = context;
  const isHeld = body.onWaiting === "hold";
  const place = desk.slots.enter(1, isHeld);
  if (place !== undefined) await place;
  const result = await (isHeld
    ? desk.make(callOf(body), { ...optionsOf(body, ask), signal: signalOf(ask) })
    : desk.make(callOf(body), optionsOf(body, ask), ask.life));
  return !isWaiting(result) ? resultReply(result) : answer(context, result, ask.caller);
}
