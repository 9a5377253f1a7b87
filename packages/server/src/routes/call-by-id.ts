import { failure } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { RequestProblem } from "../http/problem.ts";
import { done, json } from "../http/reply.ts";
import { type Route, route } from "../http/route.ts";
import { eventsOfCall } from "../live/call-events.ts";
import { BLAMES, STATES } from "../schemas/calls.ts";
import { list, object, ref, shape, someOf, text, textUpTo } from "../schemas/shape.ts";
import { mayRead } from "../security/gate.ts";
import { RateLimiter } from "../security/rate-limit.ts";
import { storyOf } from "../views/call-story.ts";
import type { CallLine, CallQuery, Page } from "../wire.ts";
import { recordsOf, statusFor } from "./call-status.ts";
import { callsPage } from "./calls-page.ts";
import type { Context } from "./context.ts";
import { executionNamed } from "./find-execution.ts";

/** Results for one call with its own token: each that does not count is on record. */
const GUESSES = { limit: 10, perMs: 60_000 };

/** What a completion is given as. */
export type Completion = { value?: unknown; failure?: { message: string; retryable?: boolean } };

export const completionSchema = {
  type: "object",
  properties: {
    value: { description: "What the tool would have returned" },
    failure: {
      type: "object",
      properties: { message: { ...textUpTo(10_000), minLength: 1 }, retryable: { type: "boolean" } },
      required: ["message"],
      additionalProperties: false,
    },
  },
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  description: "Either a value or a failure",
};

/** Throws a problem for one that is both. */
export function completionOf(given: Completion): unknown {
  const { value, failure: failed } = given;
  if (failed === undefined) return value;
  if ("value" in given)
    throw new RequestProblem("REQUEST_INVALID", "Send a value or a failure, and not both.");
  const { message, retryable } = failed;
  return failure({
    message,
    ...(retryable !== undefined && { retryable, kind: retryable ? "transient" : "fatal" }),
  });
}

export function callByIdRoutes(context: Context): Route[] {
  const { live, rig, desk, redactor } = context;
  const guesses = new RateLimiter(GUESSES);
  return [
    route<{ query: CallQuery }>({
      method: "GET",
      path: "/calls",
      id: "listCalls",
      tag: "calls",
      summary: "Calls, newest first; those under way and waiting come on the first page",
      needs: "read",
      query: {
        tool: { ...textUpTo(2_000, "Any of these, with commas"), pattern: "^(?:[^,]+(?:,[^,]+)*)?$" },
        state: someOf(STATES, "Any of running, waiting, ok, failed, unknown, with commas"),
        blame: someOf(BLAMES, "Failures of any of model, tool, world, policy, caller, with commas"),
        run: textUpTo(200),
        q: textUpTo(500, "In the name, the gist, the note and the failure's message, whatever the case"),
        limit: { type: "integer", minimum: 1, maximum: 1_000, description: "Default 200" },
        cursor: textUpTo(100),
      },
      answers: {
        200: {
          description: "A page",
          schema: shape<Page<CallLine>>({ items: list(ref("CallLine")), cursor: { maybe: text } }),
          headers: { "Toolrig-Feed-Id": "Where to follow the feed from so that nothing is missed" },
        },
      },
      handle: async ({ query }) => {
        const { id } = live.feed;
        return json(await callsPage(context, query), 200, { "toolrig-feed-id": id });
      },
    }),
    route({
      method: "GET",
      path: "/calls/{executionId}",
      id: "getCall",
      tag: "calls",
      summary: "How a call stands, and its result once it is over",
      description: "Also by the beginning or the end of the id, where that is only one.",
      needs: "own",
      answers: { 200: { description: "The call", schema: ref("CallStatus") } },
      async handle({ params, caller }) {
        const executionId = executionNamed(context, params.executionId ?? "", caller);
        const status = await statusFor(context, executionId, caller);
        if (status !== undefined) return json(status);
        if (!mayRead(caller) || !desk.isUnderWay(executionId)) throw unknownCall(executionId);
        const line = {
          executionId,
          revision: 0,
          callId: "",
          name: "",
          source: "http",
          gist: "",
          startedAt: Date.now(),
        };
        return json({ executionId, state: "running", line: { ...line, state: "running" } });
      },
    }),
    route({
      method: "GET",
      path: "/calls/{executionId}/story",
      id: "getCallStory",
      tag: "calls",
      summary: "Everything known of a call",
      needs: "read",
      answers: { 200: { description: "The story", schema: ref("CallStory") } },
      async handle({ params, caller }) {
        const executionId = executionNamed(context, params.executionId ?? "", caller);
        const kept = await recordsOf(context, executionId);
        const [wait] = await rig.waits.list({ executionId, open: true, limit: 1 });
        const story = await storyOf({
          ...kept,
          redactor,
          artifacts: rig.executor.artifacts,
          children: rig.store?.records.within(executionId) ?? [],
          tracked: live.calls.get(executionId),
          wait,
        });
        if (story === undefined) throw unknownCall(executionId);
        return json(story);
      },
    }),
    route({
      method: "GET",
      path: "/calls/{executionId}/events",
      id: "followCall",
      tag: "calls",
      summary: "What happens to a call from now on, until it is over (server-sent events)",
      description:
        "Of a call that another process makes, only its end is told. `call.end` comes once, also of one that is over.",
      needs: "own",
      answers: { 200: { description: "Events, without secrets", type: "text/event-stream" } },
      async handle(ask) {
        const executionId = executionNamed(context, ask.params.executionId ?? "", ask.caller);
        const look = () => statusFor(context, executionId, ask.caller);
        if ((await look()) === undefined && !(mayRead(ask.caller) && desk.isUnderWay(executionId)))
          throw unknownCall(executionId);
        return context.streams.open(ask, () => eventsOfCall(context, executionId, look));
      },
    }),
    route<{ body: { reason?: string } | undefined }>({
      method: "POST",
      path: "/calls/{executionId}/cancel",
      id: "cancelCall",
      tag: "calls",
      summary: "Cancel a call: one that was sent here, or one that waits",
      needs: "call",
      body: { type: "object", properties: { reason: textUpTo(1_000) }, additionalProperties: false },
      bodyOptional: true,
      answers: { 204: { description: "It is cancelled, or will be at once" } },
      async handle({ params, caller, body }) {
        const executionId = executionNamed(context, params.executionId ?? "", caller);
        const { reason } = body ?? {};
        const owner =
          desk.ownerOf(executionId) ?? (await rig.waits.list({ executionId, limit: 1 }))[0]?.principal?.id;
        if (
          owner !== caller.acting.id &&
          !["approve", "admin"].some((scope) => caller.scopes.includes(scope as never))
        )
          throw new RequestProblem("SCOPE_MISSING", "Only whoever made a call, or may approve, cancels it.");
        const how = { by: caller.principal, ...defined({ reason }) };
        if (desk.cancel(executionId) || (await rig.waits.cancel(executionId, how))) return done();
        throw new RequestProblem(
          "CONFLICT",
          `Execution ${executionId} is over, or not one that was sent here.`,
        );
      },
    }),
    route<{ query: { token?: string }; body: Completion }>({
      method: "POST",
      path: "/calls/{executionId}/result",
      id: "completeCall",
      tag: "calls",
      summary: "Give the result of a call that waits for one, with its own token",
      description:
        "For webhooks: the call's token, as the tool got it, is all that is needed: as Authorization: Bearer, or as ?token= where a service can only be given a URL. It counts once.",
      needs: "nothing",
      query: { token: textUpTo(512) },
      body: completionSchema,
      answers: { 200: { description: "It counts", schema: object } },
      async handle(ask) {
        const { params, query, body } = ask;
        const executionId = params.executionId ?? "";
        const bearer = /^Bearer +(\S{1,512})$/i.exec(ask.header("authorization") ?? "")?.[1];
        const token = bearer ?? query.token;
        if (token === undefined)
          throw new RequestProblem(
            "TOKEN_MISSING",
            "Send the call's token: Authorization: Bearer TOKEN, or ?token=TOKEN.",
          );
        // Whoever does not have it learns nothing of the call, not even whether there is one.
        if (!(await rig.waits.hasToken(executionId, token))) throw ask.wrongToken();
        const waitMs = guesses.take(executionId, Date.now());
        if (waitMs > 0)
          throw new RequestProblem(
            "RATE_LIMITED",
            "This call was given too many results that do not count.",
            {
              retryAfterMs: Math.ceil(waitMs),
            },
          );
        const result = await rig.waits.complete(executionId, token, completionOf(body));
        return json({
          executionId,
          status: "completed",
          ...defined({ isError: result?.isError }),
        });
      },
    }),
  ];
}

function unknownCall(executionId: string): RequestProblem {
  return new RequestProblem("NOT_FOUND", `Nothing is known of a call ${executionId.slice(0, 100)}.`);
}
