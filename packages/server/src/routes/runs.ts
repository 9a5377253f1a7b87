import type { Run } from "@toolrig/agent";
import { RequestProblem } from "../http/problem.ts";
import { done, json } from "../http/reply.ts";
import { type Caller, type Route, route } from "../http/route.ts";
import { traceOf } from "../http/trace.ts";
import { EventQueue } from "../live/call-events.ts";
import type { SsePull } from "../live/server-sent.ts";
import { runRequest } from "../schemas/calls.ts";
import { list, ref, shape, text, textUpTo } from "../schemas/shape.ts";
import { runDetail } from "../views/run-detail.ts";
import { runLine } from "../views/run-line.ts";
import { inboxItem, isForInbox, lineOfWait } from "../views/wait-item.ts";
import type { Page, RunLine, RunQuery, RunRequest } from "../wire.ts";
import type { Context } from "./context.ts";
import { runNamed } from "./find-execution.ts";
import { runsPage } from "./runs-page.ts";

const MOST_RECORDS = 1_000;
const MOST_WAITS = 100;
const STARTED = {
  201: {
    description: "It runs",
    schema: { type: "object", properties: { runId: text }, required: ["runId"] },
    headers: { Location: "The run" },
  },
};
const SAID = {
  type: "object",
  properties: { text: { ...textUpTo(200_000), minLength: 1 } },
  required: ["text"],
  additionalProperties: false,
};

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
        state: textUpTo(200, "Any of these, with commas"),
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
      handle: ({ params, caller }) => detail(context, runNamed(context, params.runId ?? ""), caller),
    }),
    route({
      method: "GET",
      path: "/runs/{runId}/events",
      id: "followRun",
      tag: "runs",
      summary: "What happens in a run of this process, until it is over (server-sent events)",
      needs: "read",
      answers: { 200: { description: "Events, without secrets", type: "text/event-stream" } },
      handle(ask) {
        const run = here(context, ask.params.runId ?? "");
        return context.streams.open(ask, () => eventsOfRun(context, run));
      },
    }),
    ...startRoutes(context),
    ...steerRoutes(context),
  ];
}

function startRoutes(context: Context): Route[] {
  const { rig } = context;
  const needEngine = () => {
    if (rig.hasEngine !== true)
      throw new RequestProblem("NOT_CONFIGURED", "This server has no engine: set one in the config.");
  };
  const missing = (what: string) => new RequestProblem("NOT_CONFIGURED", `This server cannot ${what} runs.`);
  return [
    route<{ body: RunRequest }>({
      method: "POST",
      path: "/runs",
      id: "startRun",
      tag: "runs",
      summary: "Give a task to the model",
      needs: "call",
      body: runRequest,
      answers: STARTED,
      handle(ask) {
        const { body, caller } = ask;
        checkWhole(caller);
        needEngine();
        const { input, system, maxIterations, onWaiting } = body;
        const run = rig.run?.(input, {
          ...traceOf(ask),
          principal: caller.acting,
          ...(system !== undefined && { system }),
          ...(maxIterations !== undefined && { maxToolIterations: maxIterations }),
          ...(onWaiting !== undefined && { onWaiting }),
        });
        if (run === undefined) throw missing("start");
        return started(run);
      },
    }),
    route({
      method: "POST",
      path: "/runs/{runId}/resume",
      id: "resumeRun",
      tag: "runs",
      summary: "Continue a run where its journal ends, repeating nothing that has happened",
      needs: "call",
      answers: STARTED,
      handle({ params, caller }) {
        checkWhole(caller);
        needEngine();
        const runId = runNamed(context, params.runId ?? "");
        if (rig.runs?.has(runId) === true) throw new RequestProblem("CONFLICT", `Run ${runId} is under way.`);
        const run = rig.resume?.(runId, { principal: caller.acting });
        if (run === undefined) throw missing("resume");
        return started(run);
      },
    }),
    route<{ body: { turn: number; input?: string } }>({
      method: "POST",
      path: "/runs/{runId}/fork",
      id: "forkRun",
      tag: "runs",
      summary: "Start a new run from the past of another, up to and including a turn",
      needs: "call",
      body: {
        type: "object",
        properties: { turn: { type: "integer", minimum: 0 }, input: { ...textUpTo(200_000), minLength: 1 } },
        required: ["turn"],
        additionalProperties: false,
      },
      answers: STARTED,
      handle({ params, caller, body: { turn, input } }) {
        checkWhole(caller);
        needEngine();
        const runId = runNamed(context, params.runId ?? "");
        const run = rig.fork?.(runId, turn, {
          principal: caller.acting,
          ...(input !== undefined && { input }),
        });
        if (run === undefined) throw missing("fork");
        return started(run);
      },
    }),
    route({
      method: "POST",
      path: "/runs/{runId}/replay",
      id: "replayRun",
      tag: "runs",
      summary: "Give the task to the model again, with the recorded calls in the place of the tools",
      needs: "call",
      answers: STARTED,
      handle({ params, caller }) {
        checkWhole(caller);
        needEngine();
        const run = rig.replay?.(runNamed(context, params.runId ?? ""), { principal: caller.acting });
        if (run === undefined) throw missing("replay");
        return started(run);
      },
    }),
  ];
}

/** A run calls whatever its model wants. */
function checkWhole({ allow }: Caller): void {
  if (allow !== undefined)
    throw new RequestProblem("SCOPE_MISSING", 'A run may call every tool: that needs the scope "call".');
}

function steerRoutes(context: Context): Route[] {
  const said = (run: Run, was: boolean) => {
    if (was) return done();
    throw new RequestProblem("CONFLICT", `Run ${run.runId} is over.`);
  };
  return [
    route<{ body: { text: string } }>({
      method: "POST",
      path: "/runs/{runId}/steer",
      id: "steerRun",
      tag: "runs",
      summary: "Say something to a run, as soon as the calls under way are answered",
      needs: "call",
      body: SAID,
      answers: { 204: { description: "It will be delivered" } },
      handle({ params, body, caller }) {
        checkWhole(caller);
        const run = here(context, params.runId ?? "");
        return said(run, run.steer(body.text));
      },
    }),
    route<{ body: { text: string } }>({
      method: "POST",
      path: "/runs/{runId}/follow-up",
      id: "followUpRun",
      tag: "runs",
      summary: "Say something to a run when it has nothing more to do",
      needs: "call",
      body: SAID,
      answers: { 204: { description: "It will be delivered" } },
      handle({ params, body, caller }) {
        checkWhole(caller);
        const run = here(context, params.runId ?? "");
        return said(run, run.followUp(body.text));
      },
    }),
    route<{ body: { reason?: string } | undefined }>({
      method: "POST",
      path: "/runs/{runId}/abort",
      id: "abortRun",
      tag: "runs",
      summary: "End a run; calls under way are cancelled",
      needs: "call",
      body: { type: "object", properties: { reason: textUpTo(1_000) }, additionalProperties: false },
      bodyOptional: true,
      answers: { 204: { description: "It ends" } },
      handle({ params, body, caller }) {
        checkWhole(caller);
        here(context, params.runId ?? "").abort(body?.reason);
        return done();
      },
    }),
  ];
}

function started(run: Run): Response {
  // Whoever started it over HTTP asks for its outcome, or does not.
  run.outcome.catch(() => {});
  return json({ runId: run.runId }, 201, { location: `/api/v1/runs/${run.runId}` });
}

function here(context: Context, typed: string): Run {
  const runId = runNamed(context, typed);
  const run = context.rig.runs?.get(runId);
  if (run === undefined)
    throw new RequestProblem("CONFLICT", `Run ${runId} is not under way in this process.`);
  return run;
}

async function detail(context: Context, runId: string, caller: Caller): Promise<Response> {
  const { rig, live, redactor } = context;
  const journal = rig.store?.journal;
  const summary = journal?.summary(runId);
  if (rig.store === undefined || journal === undefined || summary === undefined)
    throw new RequestProblem("NOT_FOUND", `The journal has no run ${runId}.`);
  const waits = await rig.waits.list({ runId, open: true, limit: MOST_WAITS });
  const forks = journal.runs({ limit: 200 }).filter(({ header }) => header.forkedFrom?.runId === runId);
  return json(
    runDetail({
      summary,
      entries: journal.entries(runId),
      records: rig.store.records.query({ runId, order: "oldest", limit: MOST_RECORDS }).records,
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
      queue.add(event.type, () => JSON.stringify(redactor.value(event)));
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
