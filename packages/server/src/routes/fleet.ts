import { ToolrigError } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { FleetView } from "../fleet-view.ts";
import { RequestProblem } from "../http/problem.ts";
import { done, json } from "../http/reply.ts";
import { type Route, route } from "../http/route.ts";
import { ref } from "../schemas/shape.ts";
import type { FleetState, RetriedLetter } from "../wire.ts";
import type { Context } from "./context.ts";
import { recordChange } from "./record-change.ts";

export function fleetRoutes(context: Context): Route[] {
  return [
    route({
      method: "GET",
      path: "/fleet",
      id: "getFleet",
      tag: "fleet",
      summary: "Workers, queues and dead letters; without a fleet, this process",
      needs: "read",
      answers: { 200: { description: "The fleet", schema: ref("FleetState") } },
      handle: async () => json(await fleetState(context)),
    }),
    route({
      method: "POST",
      path: "/fleet/dead-letters/{id}/retry",
      id: "retryDeadLetter",
      tag: "fleet",
      summary: "Send a dead letter again, as an execution of its own",
      needs: "admin",
      answers: { 200: { description: "It is in the queue again", schema: ref("RetriedLetter") } },
      async handle({ params, caller }) {
        const executionId = await onLetter(context, params.id, (fleet, seq) =>
          fleet.retryDeadLetter(seq, caller.principal),
        );
        recordChange(context, caller, "dead-letter.retried", params.id ?? "", defined({ executionId }));
        const retried: RetriedLetter = executionId === undefined ? {} : { executionId };
        return json(retried);
      },
    }),
    route({
      method: "DELETE",
      path: "/fleet/dead-letters/{id}",
      id: "dropDeadLetter",
      tag: "fleet",
      summary: "Drop a dead letter",
      needs: "admin",
      answers: { 204: { description: "It is gone" } },
      async handle({ params, caller }) {
        await onLetter(context, params.id, (fleet, seq) => fleet.dropDeadLetter(seq));
        recordChange(context, caller, "dead-letter.dropped", params.id ?? "");
        return done();
      },
    }),
  ];
}

/** Does something with a dead letter. Throws a problem where there is none, or it cannot be done. */
async function onLetter<Result>(
  { fleet, redactor }: Context,
  id = "",
  act: (fleet: FleetView, seq: number) => Promise<Result>,
): Promise<Result> {
  if (fleet === undefined) throw new RequestProblem("NOT_CONFIGURED", "This server has no fleet.");
  if (!/^[1-9]\d{0,15}$/.test(id)) throw new RequestProblem("NOT_FOUND", "Dead letters have numbers.");
  try {
    return await act(fleet, Number(id));
  } catch (error) {
    if (!ToolrigError.isInstance(error)) throw silent(error);
    const { code, message } = error;
    if (code === "OPTION_INVALID") throw new RequestProblem("NOT_FOUND", `There is no dead letter ${id}.`);
    if (code === "STORE_FAILED") throw new RequestProblem("CONFLICT", redactor.text(message));
    throw silent(error);
  }
}

const DEAD_LETTERS = 100;

async function fleetState({ rig, fleet, live }: Context): Promise<FleetState> {
  const { inFlight } = rig.executor.health();
  const local = { running: inFlight, waiting: await live.inboxCount() };
  if (fleet === undefined) return { connected: false, local, workers: [], queues: [], deadLetters: [] };
  try {
    const [queues, letters] = await Promise.all([fleet.queues(), fleet.deadLetters(DEAD_LETTERS)]);
    return {
      connected: true,
      local,
      workers: fleet.workers().map(({ id, startedAt, at, running, ran = 0, failed = 0, tools }) => ({
        id,
        startedAt,
        seenAt: at,
        running,
        slots: tools.reduce((sum, { slots = 1 }) => sum + slots, 0),
        ran,
        failed,
        tools: tools.map(({ name, version }) => ({ name, ...defined({ version }) })),
      })),
      queues: queues.map(({ consumer, subject, waiting, running }) => ({
        tool: queueName(subject) || consumer,
        depth: waiting,
        running,
      })),
      deadLetters: letters.map(({ seq, tool, at, reason }) => ({ id: String(seq), tool, at, reason })),
    };
  } catch (error) {
    throw silent(error);
  }
}

/** "tool.execute.greet.v1" as people say it: the tool, its major version, its lane. */
function queueName(subject: string): string {
  return subject.replace(/^tool\.execute\./, "").replaceAll(".", " ");
}

/** Addresses of servers have names and passwords in them, in whatever form. */
function silent(cause: unknown): ToolrigError {
  return new ToolrigError("STORE_FAILED", "The fleet does not answer; the server's log says why.", { cause });
}
