import type { GrantScope, PendingApproval } from "@toolrig/core";
import type { Wait } from "@toolrig/core/kit";
import { defined } from "@toolrig/core/kit";
import { RequestProblem } from "../http/problem.ts";
import { done, json } from "../http/reply.ts";
import { type Route, route } from "../http/route.ts";
import { list, object, oneOf, ref, shape, text, textUpTo } from "../schemas/shape.ts";
import { unmasked } from "../views/unmasked.ts";
import { inboxItem, isForInbox, isOwnResult } from "../views/wait-item.ts";
import type { InboxItem, Page } from "../wire.ts";
import { type Completion, completionOf, completionSchema } from "./call-by-id.ts";
import type { Context } from "./context.ts";
import { executionNamed } from "./find-execution.ts";

interface Approval {
  args?: unknown;
  remember?: GrantScope;
  fingerprint?: string;
}

const REASON = { type: "object", properties: { reason: textUpTo(2_000) }, additionalProperties: false };
/** Items of a list whose sources are looked up; of others, when they are asked for alone. */
const MAX_TAINTS = 25;
const ENDED = { 204: { description: "It counts" } };

export function inboxRoutes(context: Context): Route[] {
  const { rig, redactor } = context;
  return [
    route<{ query: { kind?: Wait["kind"]; run?: string; limit?: number } }>({
      method: "GET",
      path: "/inbox",
      id: "listInbox",
      tag: "inbox",
      summary: "Everything that waits for a person or a result, by expiry, then age",
      needs: "read",
      query: {
        kind: oneOf("approval", "question", "deferred", "external"),
        run: textUpTo(200),
        limit: { type: "integer", minimum: 1, maximum: 500 },
      },
      answers: {
        200: {
          description: "What waits",
          schema: shape<Page<InboxItem>>({ items: list(ref("InboxItem")), cursor: { maybe: text } }),
        },
      },
      async handle({ query: { kind, run, limit = 100 }, caller }) {
        const waits = await rig.waits.list({
          open: true,
          limit: kind === undefined ? 2 * limit : limit,
          ...defined({ kind, runId: run }),
        });
        const stranded = kind === undefined || kind === "approval" ? await rig.waits.approved(limit) : [];
        const items = await Promise.all(
          [...stranded.filter(({ runId }) => run === undefined || runId === run), ...waits.filter(isForInbox)]
            .slice(0, limit)
            .map((wait, index) => inboxItem(rig, wait, caller, redactor, index < MAX_TAINTS)),
        );
        items.sort(
          (a, b) =>
            (a.expiresAt ?? Number.MAX_VALUE) - (b.expiresAt ?? Number.MAX_VALUE) ||
            a.createdAt - b.createdAt,
        );
        return json({ items });
      },
    }),
    route({
      method: "GET",
      path: "/inbox/{id}",
      id: "getInboxItem",
      tag: "inbox",
      summary: "One thing that waits",
      needs: "read",
      answers: { 200: { description: "What waits", schema: ref("InboxItem") } },
      async handle({ params, caller }) {
        const id = params.id ?? "";
        const wait = await waitNamed(context, id.includes(":") ? id : executionNamed(context, id, caller));
        return json(await inboxItem(rig, wait, caller, redactor));
      },
    }),
    ...approvalRoutes(context),
    runRoute(context),
    ...answerRoutes(context),
  ];
}

/** Counts only for a call that was approved and that neither ledger nor records know. What comes of it is told by its events. */
function runRoute({ rig }: Context): Route {
  return route({
    method: "POST",
    path: "/inbox/{id}/run",
    id: "runApproved",
    tag: "inbox",
    summary: "Run a call that was approved and that no process runs",
    needs: "approve",
    body: { type: "object", properties: {}, additionalProperties: false },
    bodyOptional: true,
    answers: { 204: { description: "It runs" } },
    async handle({ params }) {
      const id = params.id ?? "";
      const wait = (await rig.waits.approved()).find((each) => each.id === id);
      if (wait === undefined)
        throw new RequestProblem(
          "NOT_FOUND",
          `No approved call is left without a process under ${id.slice(0, 100)}.`,
        );
      void rig.waits.run(wait.executionId, { onWaiting: "continue" }).catch(() => {});
      return done();
    },
  });
}

function approvalRoutes(context: Context): Route[] {
  const { rig } = context;
  const queue = () => {
    if (rig.approvals === undefined)
      throw new RequestProblem(
        "NOT_CONFIGURED",
        'Approvals are kept in a store: set store: "toolrig.db" in the config.',
      );
    return rig.approvals;
  };
  return [
    route<{ body: Approval | undefined }>({
      method: "POST",
      path: "/inbox/{id}/approve",
      id: "approve",
      tag: "inbox",
      summary: "Let a call run, with other arguments where they are given",
      needs: "approve",
      body: {
        type: "object",
        properties: {
          args: { description: "What it runs with instead" },
          remember: {
            type: "object",
            description: "From now on without asking, within these bounds",
            properties: {
              constraints: object,
              thisRun: { type: "boolean" },
              thisPrincipal: { type: "boolean" },
              for: {
                description: 'Such as "1h"',
                anyOf: [{ type: "string", maxLength: 20 }, { type: "number" }],
              },
            },
            additionalProperties: false,
          },
          fingerprint: textUpTo(200, "Of the arguments that were seen: it counts only for those"),
        },
        additionalProperties: false,
      },
      bodyOptional: true,
      answers: ENDED,
      async handle({ params, caller, body }) {
        const wait = await waitNamed(context, params.id ?? "", "approval");
        const { executionId } = wait;
        const { args, remember, fingerprint } = body ?? {};
        await queue().approve(executionId, {
          by: caller.principal,
          ...(args !== undefined && edited(args, wait, context)),
          ...defined({ always: remember, fingerprint }),
        });
        return done();
      },
    }),
    route<{ body: { reason?: string } | undefined }>({
      method: "POST",
      path: "/inbox/{id}/deny",
      id: "deny",
      tag: "inbox",
      summary: "Do not let a call run",
      needs: "approve",
      body: REASON,
      bodyOptional: true,
      answers: ENDED,
      async handle({ params, caller, body }) {
        const { executionId } = await waitNamed(context, params.id ?? "", "approval");
        const reason = body?.reason;
        await queue().deny(executionId, { by: caller.principal, ...defined({ reason }) });
        return done();
      },
    }),
  ];
}

/** Whoever edits arguments is shown none of their secrets, and does not mean to change those. */
function edited(given: unknown, { body }: Wait, { redactor }: Context): { args: unknown } {
  const { args } = body as PendingApproval;
  const found = unmasked(given, redactor.value(args), args);
  if (found !== undefined) return found;
  throw new RequestProblem(
    "REQUEST_INVALID",
    'The arguments have "[redacted]" in a place where no secret was. Leave a secret as it is shown, or write another in its place.',
  );
}

function answerRoutes(context: Context): Route[] {
  const { waits } = context.rig;
  return [
    route<{ body: { value: unknown } }>({
      method: "POST",
      path: "/inbox/{id}/answer",
      id: "answer",
      tag: "inbox",
      summary: "Answer the question of a tool",
      needs: "approve",
      body: { type: "object", properties: { value: {} }, required: ["value"], additionalProperties: false },
      answers: ENDED,
      async handle({ params, caller, body }) {
        const { id } = await waitNamed(context, params.id ?? "", "question");
        await waits.answer(id, { by: caller.principal, value: body.value });
        return done();
      },
    }),
    route<{ body: { reason?: string } | undefined }>({
      method: "POST",
      path: "/inbox/{id}/decline",
      id: "decline",
      tag: "inbox",
      summary: "Do not answer the question of a tool",
      needs: "approve",
      body: REASON,
      bodyOptional: true,
      answers: ENDED,
      async handle({ params, caller, body }) {
        const { id } = await waitNamed(context, params.id ?? "", "question");
        const reason = body?.reason;
        await waits.answer(id, {
          by: caller.principal,
          declined: true,
          ...defined({ reason }),
        });
        return done();
      },
    }),
    route<{ body: Completion }>({
      method: "POST",
      path: "/inbox/{id}/complete",
      id: "complete",
      tag: "inbox",
      summary: "Give the result of a call that waits for one",
      needs: "approve",
      body: completionSchema,
      answers: ENDED,
      async handle({ params, caller, body }) {
        const wait = await waitNamed(context, params.id ?? "", "deferred", "external");
        if (isOwnResult(wait, caller.principal))
          throw new RequestProblem(
            "SCOPE_MISSING",
            "The call is made on your behalf: its result comes from somebody else, or with the call's own token.",
          );
        const { executionId } = wait;
        await waits.complete(executionId, { by: caller.principal }, completionOf(body));
        return done();
      },
    }),
    route<{ body: { reason?: string } | undefined }>({
      method: "POST",
      path: "/inbox/{id}/cancel",
      id: "cancelWait",
      tag: "inbox",
      summary: "End what a call waits for",
      needs: "approve",
      body: REASON,
      bodyOptional: true,
      answers: ENDED,
      async handle({ params, caller, body }) {
        const { executionId } = await waitNamed(context, params.id ?? "");
        const reason = body?.reason;
        if (await waits.cancel(executionId, { by: caller.principal, ...defined({ reason }) })) return done();
        throw new RequestProblem("CONFLICT", "It was ended by others at the same moment.");
      },
    }),
  ];
}

/**
 * The wait with this id, or the only one of the execution with this id. Throws a problem unless it waits, for one of these where
 * they are given.
 */
async function waitNamed({ rig }: Context, id: string, ...kinds: Wait["kind"][]): Promise<Wait> {
  const wait = (await rig.waits.store.get(id)) ?? (await onlyWaitOf(rig.waits, id, kinds));
  if (wait === undefined || wait.kind === "background")
    throw new RequestProblem("NOT_FOUND", `Nothing waits under ${id.slice(0, 100)}.`);
  if (kinds.length > 0 && !kinds.includes(wait.kind))
    throw new RequestProblem(
      "CONFLICT",
      `It waits for something else: ${wait.kind}, not ${kinds.join(" or ")}.`,
    );
  if (wait.end !== undefined) throw new RequestProblem("CONFLICT", `It was ${wait.end.how} already.`);
  return wait;
}

async function onlyWaitOf(
  waits: Context["rig"]["waits"],
  executionId: string,
  kinds: readonly Wait["kind"][],
): Promise<Wait | undefined> {
  const all = (await waits.list({ open: true, executionId })).filter(isForInbox);
  const fitting = all.filter(({ kind }) => kinds.includes(kind));
  const found = fitting.length > 0 ? fitting : all;
  if (found.length > 1)
    throw new RequestProblem(
      "CONFLICT",
      `The call waits for several things: ${found.map(({ id }) => id).join(", ")}. Name one of them.`,
    );
  return found[0];
}
