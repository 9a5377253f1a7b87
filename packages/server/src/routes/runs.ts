import type { Run } from "@toolrig/agent";
import type { Principal } from "@toolrig/core";
import { RequestProblem } from "../http/problem.ts";
import { done, json } from "../http/reply.ts";
import { type Caller, type Route, route } from "../http/route.ts";
import { traceOf } from "../http/trace.ts";
import { EventQueue } from "../live/call-events.ts";
import type { SsePull } from "../live/server-sent.ts";
import { RUN_STATES, runRequest } from "../schemas/calls.ts";
import { list, ref, shape, someOf, text, textUpTo } from "../schemas/shape.ts";
import { runDetail } from "../views/run-detail.ts";
import { runLine } from "../views/run-line.ts";
import { inboxItem, isForInbox, lineOfWait } from "../views/wait-item.ts";
import type { Page, RunLine, RunQuery, RunRequest } from "../wire.ts";
import { checkRoom } from "./check-room.ts";
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
const OWN =
  "Whoever started it, or has the scope `admin`: what it does from then on is on behalf of whom it is for.";
const PAST = "Of a run of one's own; of others with the scope `read` or `admin`.";
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
        const run = here(context, ask.params.runId ?? "", ask.caller);
        return context.streams.open(ask, () => eventsOfRun(context, run));
      },
    }),
    ...startRoutes(context),
    ...steerRoutes(context),
  ];
}

function startRoutes(context: Context): Route[] {
  const { rig, owners } = context;
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
      needs: "run",
      body: runRequest,
      answers: STARTED,
      handle(ask) {
        const { body, caller } = ask;
        needEngine();
        const { input, system, maxIterations, onWaiting } = body;
        checkRoom(context);
        const run = rig.run?.(input, {
          ...traceOf(ask),
          principal: caller.acting,
          ...(system !== undefined && { system }),
          ...(maxIterations !== undefined && { maxToolIterations: maxIterations }),
          ...(onWaiting !== undefined && { onWaiting }),
        });
        if (run === undefined) throw missing("start");
        return started(context, run, caller.acting);
      },
    }),
    route({
      method: "POST",
      path: "/runs/{runId}/resume",
      id: "resumeRun",
      tag: "runs",
      summary: "Continue a run where its journal ends, repeating nothing that has happened",
      description: OWN,
      needs: "run",
      answers: STARTED,
      async handle({ params, caller }) {
        needEngine();
        const runId = runNamed(context, params.runId ?? "", caller);
        const owner = await owners.check(runId, caller);
        if (rig.runs?.has(runId) === true) throw new RequestProblem("CONFLICT", `Run ${runId} is under way.`);
        checkRoom(context);
        // Whoever goes on with somebody else's run does so on their behalf.
        const run = rig.resume?.(runId, owner.id === undefined ? { principal: caller.acting } : {});
        if (run === undefined) throw missing("resume");
        return started(context, run, { id: owner.id ?? caller.acting.id });
      },
    }),
    route<{ body: { turn: number; input?: string } }>({
      method: "POST",
      path: "/runs/{runId}/fork",
      id: "forkRun",
      tag: "runs",
      summary: "Start a new run from the past of another, up to and including a turn",
      description: PAST,
      needs: "run",
      body: {
        type: "object",
        properties: { turn: { type: "integer", minimum: 0 }, input: { ...textUpTo(200_000), minLength: 1 } },
        required: ["turn"],
        additionalProperties: false,
      },
      answers: STARTED,
      async handle({ params, caller, body: { turn, input } }) {
        needEngine();
        const runId = runNamed(context, params.runId ?? "", caller);
        await owners.check(runId, caller, "read");
        checkRoom(context);
        const run = rig.fork?.(runId, turn, {
          principal: caller.acting,
          ...(input !== undefined && { input }),
        });
        if (run === undefined) throw missing("fork");
        return started(context, run, caller.acting);
      },
    }),
    route({
      method: "POST",
      path: "/runs/{runId}/replay",
      id: "replayRun",
      tag: "runs",
      summary: "Give the task to the model again, with the recorded calls in the place of the tools",
      description: PAST,
      needs: "run",
      answers: STARTED,
      async handle({ params, caller }) {
        needEngine();
        const runId = runNamed(context, params.runId ?? "", caller);
        await owners.check(runId, caller, "read");
        checkRoom(context);
        const run = rig.replay?.(runId, { principal: caller.acting });
        if (run === undefined) throw missing("replay");
        return started(context, run, caller.acting);
      },
    }),
  ];
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
      description: OWN,
      needs: "run",
      body: SAID,
      answers: { 204: { description: "It will be delivered" } },
      async handle({ params, body, caller }) {
        const run = here(context, params.runId ?? "", caller);
        await context.owners.check(run.runId, caller);
        return said(run, run.steer(body.text));
      },
    }),
    route<{ body: { text: string } }>({
      method: "POST",
      path: "/runs/{runId}/follow-up",
      id: "followUpRun",
      tag: "runs",
      summary: "Say something to a run when it has nothing more to do",
      description: OWN,
      needs: "run",
      body: SAID,
      answers: { 204: { description: "It will be delivered" } },
      async handle({ params, body, caller }) {
        const run = here(context, params.runId ?? "", caller);
        await context.owners.check(run.runId, caller);
        return said(run, run.followUp(body.text));
      },
    }),
    route<{ body: { reason?: string } | undefined }>({
      method: "POST",
      path: "/runs/{runId}/abort",
      id: "abortRun",
      tag: "runs",
      summary: "End a run; calls under way are cancelled",
      description: "Whoever started it, or has the scope `approve` or `admin`.",
      needs: "run",
      body: { type: "object", properties: { reason: textUpTo(1_000) }, additionalProperties: false },
      bodyOptional: true,
      answers: { 204: { description: "It ends" } },
      async handle({ params, body, caller }) {
        const run = here(context, params.runId ?? "", caller);
        await context.owners.check(run.runId, caller, "approve");
        run.abort(body?.reason);
        return done();
      },
    }),
  ];
}

function started({ owners }: Context, run: Run, owner: Principal): Response {
  owners.started(run.runId, owner);
  // Whoever started it over HTTP asks for its outcome, or does not.
  run.outcome.catch(() => {});
  return json({ runId: run.runId }, 201, { location: `/api/v1/runs/${run.runId}` });
}

function here(context: Context, typed: string, caller: Caller): Run {
  const runId = runNamed(context, typed, caller);
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
