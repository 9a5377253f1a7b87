import { argumentsText, fingerprintOf } from "../../call/fingerprint.ts";
import type { Principal } from "../../call/principal.ts";
import { type Clock, sleep, systemClock } from "../../clock.ts";
import { ToolrigError } from "../../failure/failure.ts";
import { newId } from "../../ids.ts";
import { check, settingsOf } from "../../options/check.ts";
import { type Duration, parseDuration } from "../../options/duration.ts";
import {
  type ApprovalDecision,
  type ApprovalEntry,
  type ApprovalStore,
  type Grant,
  MemoryApprovalStore,
  type PendingApproval,
} from "../../stores/approvals.ts";
import { permits } from "../policy/bound.ts";
import { checkCondition } from "../policy/condition-schema.ts";
import type { ApprovalAnswer, ApprovalRequest, Approver } from "./approver.ts";

export interface ApprovalQueueOptions {
  /** Default: in memory. A durable store makes waiting calls survive a restart. */
  store?: ApprovalStore;
  /** How long a question waits before it counts as denied. Default: for ever. */
  expireAfter?: Duration;
  /** Who may answer what. Default: everybody but the principal on whose behalf the call is made. */
  mayAnswer?: (by: Principal, pending: PendingApproval) => boolean;
  /** How often the store is asked for answers that another process gave. Default "500ms". */
  pollEvery?: Duration;
  clock?: Clock;
}

const SETTINGS = settingsOf<ApprovalQueueOptions>({
  store: true,
  expireAfter: true,
  mayAnswer: true,
  pollEvery: true,
  clock: true,
});
const SCOPE = settingsOf<GrantScope>({ constraints: true, thisRun: true, thisPrincipal: true, for: true });
const STORE = ["ask", "get", "decide", "list", "addGrant", "removeGrant", "grants"];

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

/**
 * Questions to people about calls. A question is bound to one execution and its exact arguments; it is answered once,
 * by somebody who may, and whoever asks again for the same execution gets the same answer.
 *
 * @example
 * ```ts
 * import { setTimeout } from "node:timers/promises";
 * import { ApprovalQueue, Executor, tool } from "@toolrig/core";
 *
 * const spec = { description: "Deploy", input: { type: "object" }, approval: true } as const;
 * const deploy = tool({ ...spec, name: "deploy", execute: () => "deployed" });
 * const queue = new ApprovalQueue({ expireAfter: "1h" });
 * const executor = new Executor({ tools: [deploy], approve: queue.approver });
 *
 * const call = executor.call({ id: "call_1", name: "deploy" }, { executionId: "exec_1" });
 * while ((await queue.store.list({ open: true })).length === 0) await setTimeout(10);
 * await queue.approve("exec_1", { by: { id: "ann" } });
 * console.log((await call).value); //=> deployed
 * ```
 */
export class ApprovalQueue {
  readonly store: ApprovalStore;
  readonly #clock: Clock;
  readonly #expireAfterMs: number | undefined;
  readonly #pollMs: number;
  readonly #mayAnswer: (by: Principal, pending: PendingApproval) => boolean;
  readonly #waiting = new Map<string, AbortController>();

  constructor(options: ApprovalQueueOptions = {}) {
    check.known("An approval queue", options, SETTINGS);
    const { store, expireAfter, mayAnswer, pollEvery = "500ms", clock = systemClock } = options;
    check.has("store", store, STORE, 'a store of approvals, such as openStore("rig.db").approvals');
    check.has("clock", clock, ["now", "set", "clear"], "a clock");
    if (mayAnswer !== undefined) check.function("mayAnswer", mayAnswer);
    this.store = store ?? new MemoryApprovalStore();
    this.#clock = clock;
    this.#expireAfterMs = expireAfter === undefined ? undefined : parseDuration(expireAfter, "expireAfter");
    this.#pollMs = check.timeout("pollEvery", pollEvery);
    this.#mayAnswer = mayAnswer ?? ((by, pending) => by.id !== pending.principal?.id);
  }

  /** For an executor's `approve`. */
  readonly approver: Approver = async (request) => {
    const pending = this.#pendingOf(request);
    // What was asked before has its own answer, whatever has been granted since.
    let entry = await this.store.get(pending.executionId);
    if (entry === undefined) {
      const grant = await this.#grantFor(pending);
      if (grant !== undefined) return { approved: true, by: `grant ${grant.id} of ${grant.by.id}` };
      entry = await this.store.ask(pending);
    }
    if (!isSameCall(entry.pending, pending)) {
      return {
        approved: false,
        reason: "an answer was asked for other arguments under the same execution id",
      };
    }
    return answerOf(entry.decision ?? (await this.#wait(entry, request.signal)));
  };

  /** Lets a waiting call run, with other arguments when `args` is given, and similar ones with `always`. */
  async approve(
    executionId: string,
    {
      by,
      args,
      always,
      fingerprint,
    }: { by: Principal; args?: unknown; always?: GrantScope; fingerprint?: string },
  ): Promise<void> {
    const { pending } = await this.#answerable(executionId, by, fingerprint);
    const grant = always === undefined ? undefined : this.#grant(pending, always, by);
    const at = this.#clock.now();
    await this.#decide(executionId, { decision: "approved", by, at, ...(args !== undefined && { args }) });
    if (grant !== undefined) await this.store.addGrant(grant);
  }

  async deny(executionId: string, { by, reason }: { by: Principal; reason?: string }): Promise<void> {
    await this.#answerable(executionId, by, undefined);
    const at = this.#clock.now();
    await this.#decide(executionId, { decision: "denied", by, at, ...(reason !== undefined && { reason }) });
  }

  /** The user said something new: whatever the run still asks is moot. Returns how many questions that were. */
  async supersede(runId: string, reason = "the user sent a new message"): Promise<number> {
    const at = this.#clock.now();
    let settled = 0;
    for (const { pending } of await this.store.list({ open: true, runId })) {
      if (await this.#settle(pending.executionId, { decision: "superseded", at, reason })) settled += 1;
    }
    return settled;
  }

  async #answerable(
    executionId: string,
    by: Principal,
    fingerprint: string | undefined,
  ): Promise<ApprovalEntry> {
    const entry = await this.store.get(executionId);
    if (entry === undefined) throw refused(`Nothing waits for approval under execution ${executionId}.`);
    if (entry.decision !== undefined)
      throw refused(`Execution ${executionId} was ${entry.decision.decision} already.`);
    const { expiresAt } = entry.pending;
    const now = this.#clock.now();
    if (expiresAt !== undefined && now >= expiresAt) {
      await this.#settle(executionId, { decision: "expired", at: now });
      throw refused(`Nobody answered for execution ${executionId} in time; it counts as denied.`);
    }
    if (fingerprint !== undefined && fingerprint !== entry.pending.fingerprint) {
      throw refused(`The answer is for other arguments than execution ${executionId} has. Look at it again.`);
    }
    if (typeof by?.id !== "string" || !this.#mayAnswer(by, entry.pending)) {
      throw refused(
        `"${String(by?.id)}" may not answer for ${entry.pending.name} (execution ${executionId}).`,
      );
    }
    return entry;
  }

  async #decide(executionId: string, decision: ApprovalDecision): Promise<void> {
    if (await this.#settle(executionId, decision)) return;
    throw refused(`Execution ${executionId} was answered by somebody else at the same moment.`);
  }

  async #settle(executionId: string, decision: ApprovalDecision): Promise<boolean> {
    const settled = await this.store.decide(executionId, decision);
    this.#waiting.get(executionId)?.abort();
    return settled;
  }

  /** Wakes up for an answer given here at once, and for one given elsewhere at the next poll. */
  async #wait({ pending }: ApprovalEntry, signal: AbortSignal | undefined): Promise<ApprovalDecision> {
    const { executionId, expiresAt } = pending;
    for (;;) {
      const now = this.#clock.now();
      if (signal?.aborted)
        await this.#settle(executionId, {
          decision: "superseded",
          at: now,
          reason: "the call was cancelled",
        });
      else if (expiresAt !== undefined && now >= expiresAt)
        await this.#settle(executionId, { decision: "expired", at: now });
      const woken = new AbortController();
      this.#waiting.set(executionId, woken);
      const decision = (await this.store.get(executionId))?.decision;
      if (decision !== undefined) {
        this.#waiting.delete(executionId);
        return decision;
      }
      const untilExpiry = expiresAt === undefined ? this.#pollMs : Math.max(0, expiresAt - now);
      const wake = signal === undefined ? woken.signal : AbortSignal.any([woken.signal, signal]);
      await sleep(this.#clock, Math.min(this.#pollMs, untilExpiry), wake);
    }
  }

  async #grantFor(pending: PendingApproval): Promise<Grant | undefined> {
    const now = this.#clock.now();
    return (await this.store.grants()).find(
      (grant) =>
        grant.tool === pending.name &&
        (grant.until === undefined || now < grant.until) &&
        (grant.runId === undefined || grant.runId === pending.runId) &&
        (grant.principalId === undefined || grant.principalId === pending.principal?.id) &&
        (grant.constraints === undefined || permits(grant.constraints, pending.args)),
    );
  }

  /** Throws for a scope that cannot be kept: left out, it would permit more than was meant. */
  #grant({ name, runId, principal }: PendingApproval, scope: GrantScope, by: Principal): Grant {
    const at = this.#clock.now();
    check.known("always", scope, SCOPE);
    check.flag("always.thisRun", scope.thisRun);
    check.flag("always.thisPrincipal", scope.thisPrincipal);
    if (scope.thisRun === true && runId === undefined)
      throw refused(`${name} was not called in a run, so nothing can be granted for "this run".`);
    if (scope.thisPrincipal === true && principal === undefined)
      throw refused(`${name} was called for no principal, so nothing can be granted for "this principal".`);
    if (scope.constraints !== undefined) checkCondition(scope.constraints);
    return {
      id: newId("grant"),
      tool: name,
      by,
      at,
      ...(scope.constraints !== undefined && { constraints: scope.constraints }),
      ...(scope.thisRun === true && runId !== undefined && { runId }),
      ...(scope.thisPrincipal === true && principal !== undefined && { principalId: principal.id }),
      ...(scope.for !== undefined && { until: at + parseDuration(scope.for, "always.for") }),
    };
  }

  #pendingOf({ executionId, tool, args, reasons, call, runId, principal }: ApprovalRequest): PendingApproval {
    const createdAt = this.#clock.now();
    return {
      executionId,
      fingerprint: fingerprintOf(tool, args),
      name: tool.name,
      args,
      reasons,
      callId: call.id,
      createdAt,
      ...(runId !== undefined && { runId }),
      ...(principal !== undefined && { principal }),
      ...(this.#expireAfterMs !== undefined && { expiresAt: createdAt + this.#expireAfterMs }),
    };
  }
}

/** The fingerprint is short enough to be met by chance; what was shown to somebody is compared in full. */
function isSameCall(one: PendingApproval, other: PendingApproval): boolean {
  return (
    one.name === other.name &&
    one.fingerprint === other.fingerprint &&
    argumentsText(one.args) === argumentsText(other.args)
  );
}

function answerOf(decision: ApprovalDecision): ApprovalAnswer {
  switch (decision.decision) {
    case "approved":
      return { approved: true, by: decision.by.id, ...("args" in decision && { args: decision.args }) };
    case "denied":
      return {
        approved: false,
        by: decision.by.id,
        ...(decision.reason !== undefined && { reason: decision.reason }),
      };
    case "expired":
      return { approved: false, reason: "nobody answered in time" };
    case "superseded":
      return { approved: false, reason: decision.reason ?? "the question was superseded" };
  }
}

function refused(message: string): ToolrigError {
  return new ToolrigError("APPROVAL_REFUSED", message);
}
