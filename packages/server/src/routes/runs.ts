import type { Run } from "@toolrig/agent";
import { RequestProblem } from "../http/problem.ts";
import { json, type Reply } from "../http/reply.ts";
import { type Caller, type Route, route } from "../http/route.ts";
import { EventQueue } from "../live/call-events.ts";
import type { SsePull } from "../live/server-sent.ts";
import { RUN_STATES } from "../schemas/calls.ts";
import { list, ref, shape, someOf, text, textUpTo } from "../schemas/shape.ts";
import { runDetail } from "../views/run-detail.ts";
import { runLine } from "../views/run-line.ts";
import { inboxItem, isForInbox, lineOfWait } from "../views/wait-item.ts";
import type { Page, RunLine, RunQuery } from "../wire.ts";
import type { Context } from "./context.ts";
import { runNamed } from "./find-execution.ts";
import { runsPage } from "./runs-page.ts";
import { startRoutes } from "./start-runs.ts";
import { runHere, steerRoutes } from "./steer-runs.ts";

const MAX_RECORDS = 1_000;
const MAX_WAITS = 100;

export function runRoutes(context: Context): Route[] {
  const { live } = context;
  return [
    route<{ query: RunQuery }>({
      method: "GET",
      path: "/runs",
      id: "listRuns",
      tag: "runs",
      summary: "Runs, the latest first",
      needs: "read",
      query: {
        state: someOf(RUN_STATES, "Any of these, with commas"),
        q: textUpTo(500, "In the task and the id, whatever the case"),
        limit: { type: "integer", minimum: 1, maximum: 1_000, description: "Default 200" },
        cursor: textUpTo(30),
      },
      answers: {
        200: {
          description: "A page",
          schema: shape<Page<RunLine>>({ items: list(ref("RunLine")), cursor: { maybe: text } }),
        },
      },
      handle: async ({ query }) => json(await runsPage(live, query)),
    }),
    route({
      method: "GET",
      path: "/runs/{runId}",
      id: "getRun",
      tag: "runs",
      summary: "A run, turn by turn, with its transcript",
      needs: "read",
      answers: { 200: { description: "The run", schema: ref("RunDetail") } },
      handle: ({ params, caller }) => detail(context, runNamed(context, params.runId ?? "", caller), caller),
    }),
    route({
      method: "GET",
      path: "/runs/{runId}/events",
      id: "followRun",
      tag: "runs",
      summary: "What happens from now on in a run of this process, until it is over (server-sent events)",
      needs: "read",
      answers: { 200: { description: "Events, without secrets", type: "text/event-stream" } },
      handle(ask) {
        const run = runHere(context, ask.params.runId ?? "", ask.caller);
        return context.streams.open(ask, () => eventsOfRun(context, run));
      },
    }),
    ...startRoutes(context),
    ...steerRoutes(context),
  ];
}

async function detail(context: Context, runId: string, caller: Caller): Promise<Reply> {
  const { rig, live, redactor } = context;
  const journal = rig.store?.journal;
  const summary = journal?.summary(runId);
  if (rig.store === undefined || journal === undefined || summary === undefined)
    throw new RequestProblem("NOT_FOUND", `The journal has no run ${runId}.`);
  const waits = await rig.waits.list({ runId, open: true, limit: MAX_WAITS });
  const forks = journal.runs({ limit: 200 }).filter(({ header }) => header.forkedFrom?.runId === runId);
  return json(
    runDetail({
      summary,
      entries: journal.entries(runId),
      records: rig.store.records.query({ runId, order: "oldest", limit: MAX_RECORDS }).records,
      tracked: [...live.calls.running()].filter(({ start }) => start.runId === runId),
      waiting: waits.map((wait) => lineOfWait(wait, redactor)),
      waitingFor: await Promise.all(
        waits.filter(isForInbox).map((wait) => inboxItem(rig, wait, caller, redactor)),
      ),
      children: forks.map((fork) => runLine(fork, live.isHere(fork.header.runId), redactor)),
      isHere: live.isHere(runId),
      redactor,
    }),
  );
}

function eventsOfRun({ redactor }: Context, run: Run): SsePull {
  const queue = new EventQueue();
  let left = false;
  const read = async () => {
    for await (const event of run) {
      if (left) break;
      queue.add(event.type, () => JSON.stringify(redactor.fact(event)));
    }
    queue.end();
  };
  read().catch(() => queue.end());
  return {
    next: (ended) => queue.next(ended),
    close() {
      left = true;
      queue.end();
    },
  };
}
