import type { Principal } from "../../call/principal.ts";
import { defined } from "../../defined.ts";
import { newId } from "../../ids.ts";
import { declareOptions, type OptionTable } from "../../options/declare-options.ts";
import { type Duration, parseDuration } from "../../options/duration.ts";
import { duration, flag, object } from "../../options/kinds.ts";
import type { Grant, PendingApproval } from "../../stores/approvals.ts";
import { permits } from "../policy/bound.ts";
import { checkCondition } from "../policy/condition-schema.ts";
import { writtenOut } from "../policy/written-out.ts";
import { refused } from "./refused.ts";

/** A standing permission that comes with an answer: for the same tool, within these bounds. */
export interface GrantScope {
  /** JSON Schema that the arguments must match. Default: any arguments. */
  constraints?: Readonly<Record<string, unknown>>;
  /** Only in the run that asked. */
  thisRun?: boolean;
  /** Only for the principal that asked. */
  thisPrincipal?: boolean;
  for?: Duration;
}

export const grantScope = declareOptions("a grant", {
  constraints: object("JSON Schema of the arguments"),
  thisRun: flag(),
  thisPrincipal: flag(),
  for: duration({ zero: true, long: true }),
} satisfies OptionTable<GrantScope>);

/** Throws for a scope that cannot be kept: left out, it would permit more than was meant. */
export function grantFor(pending: PendingApproval, scope: GrantScope, by: Principal, at: number): Grant {
  const { name, provider, definition, askedBy, runId, principal } = pending;
  if (scope.thisRun === true && runId === undefined)
    throw refused(`${name} was not called in a run, so nothing can be granted for "this run".`);
  if (scope.thisPrincipal === true && principal === undefined)
    throw refused(`${name} was called for no principal, so nothing can be granted for "this principal".`);
  if (pending.always === true)
    throw refused(
      `${name} is asked about every time here (${pending.reasons.join("; ")}). Approve this call alone.`,
    );
  if (definition === undefined || askedBy === undefined)
    throw refused(
      `The question about ${name} does not say what a grant would be for. Approve this call alone.`,
    );
  if (scope.constraints !== undefined) checkCondition(scope.constraints, "permission");
  return {
    id: newId("grant"),
    tool: name,
    definition,
    guards: [...new Set(askedBy)],
    by,
    at,
    ...defined({ provider, constraints: scope.constraints }),
    ...(scope.thisRun === true && runId !== undefined && { runId }),
    ...(scope.thisPrincipal === true && principal !== undefined && { principalId: principal.id }),
    ...(scope.for !== undefined && { until: at + parseDuration(scope.for, "always.for") }),
  };
}

/** Whether a question is one that a grant answers. Whether its giver may answer it is for the queue to say. */
export function covers(grant: Grant, pending: PendingApproval, now: number): boolean {
  return pending.always !== true && isFor(grant, pending) && isWithin(grant, pending, now);
}

/** Whether a grant was given for this tool, and answers everybody who asks. */
function isFor({ tool, provider, definition, guards = [] }: Grant, pending: PendingApproval): boolean {
  const { askedBy = [] } = pending;
  return (
    tool === pending.name &&
    provider === pending.provider &&
    definition !== undefined &&
    definition === pending.definition &&
    askedBy.length > 0 &&
    askedBy.every((guard) => guards.includes(guard))
  );
}

function isWithin(
  { until, runId, principalId, constraints }: Grant,
  pending: PendingApproval,
  now: number,
): boolean {
  return (
    (until === undefined || now < until) &&
    (runId === undefined || runId === pending.runId) &&
    (principalId === undefined || principalId === pending.principal?.id) &&
    (constraints === undefined || permits(constraints, writtenOut(pending.args)))
  );
}
