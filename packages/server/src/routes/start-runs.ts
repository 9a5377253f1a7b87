import type { Run } from "@toolrig/agent";
import type { Principal } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { RequestProblem } from "../http/problem.ts";
import { json, type Reply } from "../http/reply.ts";
import { type Route, route } from "../http/route.ts";
import { traceOf } from "../http/trace.ts";
import { runRequest } from "../schemas/calls.ts";
import { text, textUpTo } from "../schemas/shape.ts";
import type { RunRequest } from "../wire.ts";
import type { Context } from "./context.ts";
import { runNamed } from "./find-execution.ts";
import { checkRunSlots } from "./run-slots.ts";
import { OWN_RUN } from "./steer-runs.ts";

const STARTED = {
  201: {
    description: "It runs",
    schema: { type: "object", properties: { runId: text }, required: ["runId"] },
    headers: { Location: "The run" },
  },
};
const PAST = "Of a run of one's own; of others with the scope `read` or `admin`.";

/** How a run begins: with a task, or from the past of one. */
export function startRoutes(context: Context): Route[] {
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
        checkRunSlots(context);
        const run = rig.run?.(input, {
          ...traceOf(ask),
          principal: caller.acting,
          ...defined({ system, maxToolIterations: maxIterations, onWaiting }),
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
      description: OWN_RUN,
      needs: "run",
      answers: STARTED,
      async handle({ params, caller }) {
        needEngine();
        const runId = runNamed(context, params.runId ?? "", caller);
        const owner = await owners.check(runId, caller);
        if (rig.runs?.has(runId) === true) throw new RequestProblem("CONFLICT", `Run ${runId} is under way.`);
        checkRunSlots(context);
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
        checkRunSlots(context);
        const run = rig.fork?.(runId, turn, {
          principal: caller.acting,
          ...defined({ input }),
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
        checkRunSlots(context);
        const run = rig.replay?.(runId, { principal: caller.acting });
        if (run === undefined) throw missing("replay");
        return started(context, run, caller.acting);
      },
    }),
  ];
}

function started({ owners }: Context, run: Run, owner: Principal): Reply {
  owners.started(run.runId, owner);
  // Whoever started it over HTTP asks for its outcome, or does not.
  run.outcome.catch(() => {});
  return json({ runId: run.runId }, 201, { location: `/api/v1/runs/${run.runId}` });
}
