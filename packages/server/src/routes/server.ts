import { meaningOf, RequestProblem } from "../http/problem.ts";
import { json } from "../http/reply.ts";
import { type Route, route } from "../http/route.ts";
import { feedPull } from "../live/server-sent.ts";
import { list, object, ref, textUpTo } from "../schemas/shape.ts";
import { mayRead } from "../security/gate.ts";
import type { ServerInfo } from "../wire.ts";
import type { Context } from "./context.ts";
import { checkRunSlots } from "./run-slots.ts";

export function serverRoutes(context: Context): Route[] {
  const { rig, live, version, startedAt } = context;
  const features: ServerInfo["features"] = {
    store: rig.store !== undefined,
    engine: rig.hasEngine === true,
    approvals: rig.approvals !== undefined,
    policy: rig.policy !== undefined,
    mcp: context.hasMcp,
    fleet: context.fleet !== undefined,
    demo: context.demo !== undefined,
  };
  return [
    route({
      method: "GET",
      path: "/server",
      id: "getServer",
      tag: "server",
      summary: "What this server is and can do, and who asks",
      needs: "tools",
      answers: { 200: { description: "The server", schema: ref("ServerInfo") } },
      async handle({ caller }) {
        const { principal, scopes } = caller;
        const info: ServerInfo = {
          name: "toolrig",
          version,
          startedAt,
          principal,
          scopes: [...scopes],
          ...(mayRead(caller) && { inbox: await live.inboxCount() }),
          features,
        };
        return json(info);
      },
    }),
    route<{ query: { after?: string } }>({
      method: "GET",
      path: "/events",
      id: "followFeed",
      tag: "server",
      summary: "What changes, as it does (server-sent events)",
      description:
        "At most ten messages a second. The first event is `open`, or `gap` when what came after Last-Event-ID is no longer kept: read the lists anew then. Each `feed` event holds a FeedMessage.",
      needs: "read",
      query: { after: textUpTo(100, "The id of the last message that was seen, as Last-Event-ID") },
      headers: { "Last-Event-ID": "The id of the last message that was seen" },
      answers: {
        200: {
          description: "Events until the client leaves",
          type: "text/event-stream",
          schema: ref("FeedMessage"),
        },
      },
      handle(ask) {
        const after = ask.header("last-event-id") ?? ask.query.after;
        return context.streams.open(ask, () => feedPull(live.feed, after));
      },
    }),
    route({
      method: "GET",
      path: "/problems/{code}",
      id: "getProblem",
      tag: "server",
      summary: "What the code of a problem means",
      needs: "nothing",
      answers: { 200: { description: "The code", schema: object } },
      handle({ params }) {
        const meaning = meaningOf(params.code ?? "");
        if (meaning === undefined) throw new RequestProblem("NOT_FOUND", "There is no such code.");
        return json(meaning);
      },
    }),
    route<{ query: { limit?: number } }>({
      method: "GET",
      path: "/denied",
      id: "listDenied",
      tag: "server",
      summary: "Requests that were refused, newest first",
      needs: "admin",
      query: { limit: { type: "integer", minimum: 1, maximum: 1_000 } },
      answers: {
        200: { description: "The latest", schema: { type: "object", properties: { items: list(object) } } },
      },
      handle: ({ query }) => json({ items: context.denied.list(query.limit ?? 100) }),
    }),
    route({
      method: "POST",
      path: "/demo/start",
      id: "startDemo",
      tag: "server",
      summary: "Start the scripted agent, where the server has it",
      needs: "run",
      answers: { 200: { description: "It runs", schema: ref("DemoStarted") } },
      async handle() {
        if (context.demo === undefined)
          throw new RequestProblem("NOT_CONFIGURED", "This server has no demo. npm start serves one.");
        checkRunSlots(context);
        return json({ runId: await context.demo.start() });
      },
    }),
  ];
}
