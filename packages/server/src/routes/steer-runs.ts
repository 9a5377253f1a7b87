import type { Run } from "@toolrig/agent";
import { RequestProblem } from "../http/problem.ts";
import { done } from "../http/reply.ts";
import { type Caller, type Route, route } from "../http/route.ts";
import { textUpTo } from "../schemas/shape.ts";
import type { Context } from "./context.ts";
import { runNamed } from "./find-execution.ts";

export const OWN_RUN =
  "Whoever started it, or has the scope `admin`: what it does from then on is on behalf of whom it is for.";
const SAID = {
  type: "object",
  properties: { text: { ...textUpTo(200_000), minLength: 1 } },
  required: ["text"],
  additionalProperties: false,
};

/** What may be said to a run under way. */
export function steerRoutes(context: Context): Route[] {
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
      description: OWN_RUN,
      needs: "run",
      body: SAID,
      answers: { 204: { description: "It will be delivered" } },
      async handle({ params, body, caller }) {
        const run = runHere(context, params.runId ?? "", caller);
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
      description: OWN_RUN,
      needs: "run",
      body: SAID,
      answers: { 204: { description: "It will be delivered" } },
      async handle({ params, body, caller }) {
        const run = runHere(context, params.runId ?? "", caller);
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
        const run = runHere(context, params.runId ?? "", caller);
        await context.owners.check(run.runId, caller, "approve");
        run.abort(body?.reason);
        return done();
      },
    }),
  ];
}

/** A run under way in this process. */
export function runHere(context: Context, typed: string, caller: Caller): Run {
  const runId = runNamed(context, typed, caller);
  const run = context.rig.runs?.get(runId);
  if (run === undefined)
    throw new RequestProblem("CONFLICT", `Run ${runId} is not under way in this process.`);
  return run;
}
