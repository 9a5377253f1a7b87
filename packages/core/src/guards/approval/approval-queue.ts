import { isSamePerson, type Principal, principalOption } from "../../call/principal.ts";
import type { Waiting } from "../../call/waiting.ts";
import { type Clock, sleep, systemClock, wallTime } from "../../clock.ts";
import { copy } from "../../copy.ts";
import { defined } from "../../defined.ts";
import { declareOptions, type OptionTable } from "../../options/declare-options.ts";
import { type Duration, parseDuration } from "../../options/duration.ts";
import {
  anyText,
  anything,
  callback,
  clock as clockOption,
  duration,
  group,
  part,
  text,
} from "../../options/kinds.ts";
import {
  type ApprovalDecision,
  type ApprovalEntry,
  type ApprovalStore,
  type Grant,
  MemoryApprovalStore,
  type PendingApproval,
} from "../../stores/approvals.ts";
import { waitId } from "../../stores/waits.ts";
import type { ApprovalAnswer, ApprovalRequest, Approver } from "./approver.ts";
import { covers, type GrantScope, grantFor, grantScope } from "./grant.ts";
import { issuesOfEdit, questionOf, whatDiffers } from "./question.ts";
import { refused } from "./refused.ts";

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

const queueOptions = declareOptions("ApprovalQueue", {
  store: part('a store of approvals, such as openStore("rig.db").approvals', [
    "ask",
    "get",
    "decide",
    "list",
    "addGrant",
    "removeGrant",
    "grants",
  ]),
  expireAfter: duration({ zero: true, long: true, aliases: ["timeout", "ttl"] }),
  mayAnswer: callback(),
  pollEvery: duration({ default: "500ms" }),
  clock: clockOption(),
} satisfies OptionTable<ApprovalQueueOptions>);

/** How a question is answered with yes. */
interface Approval {
  by: Principal;
  args?: unknown;
  always?: GrantScope;
  fingerprint?: string;
}

interface Denial {
  by: Principal;
  reason?: string;
}

const approvalOptions = declareOptions("an approval", {
  by: principalOption({ required: true }),
  args: anything("the arguments to run with"),
  always: group(grantScope),
  fingerprint: text(),
} satisfies OptionTable<Approval>);

const denialOptions = declareOptions("a denial", {
  by: principalOption({ required: true }),
  reason: anyText(),
} satisfies OptionTable<Denial>);

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
  /** What this process waits for, by execution. */
  readonly #asked = new Map<string, ApprovalRequest>();

  constructor(options: ApprovalQueueOptions = {}) {
    const {
      store,
      expireAfter,
      mayAnswer,
      pollEvery,
      clock = systemClock,
    } = queueOptions.withDefaults(options);
    this.store = store ?? new MemoryApprovalStore();
    this.#clock = clock;
    this.#expireAfterMs = expireAfter === undefined ? undefined : parseDuration(expireAfter, "expireAfter");
    this.#pollMs = parseDuration(pollEvery, "pollEvery");
    this.#mayAnswer = mayAnswer ?? isSomebodyElse;
  }

  /** For an executor's `approve`. */
  readonly approver: Approver = async (request) => {
    const pending = questionOf(request, this.#now(), this.#expireAfterMs);
    // What was asked before has its own answer, whatever has been granted since.
    let entry = await this.store.get(pending.executionId);
    if (entry === undefined) {
      const grant = await this.#grantFor(pending);
      if (grant !== undefined) return { approved: true, by: grant.by, grant: grant.id };
      entry = await this.store.ask(pending);
    }
    const other = whatDiffers(entry.pending, pending);
    if (other !== undefined)
      return { approved: false, reason: `an answer was asked for ${other} under the same execution id` };
    const waiting = waitingFor(entry.pending);
    const isOpen = entry.decision === undefined && this.#now() < (entry.pending.expiresAt ?? Infinity);
    if (isOpen && !request.holds) return { approved: undefined, waiting };
    if (entry.decision === undefined) request.waits(waiting);
    const decision = entry.decision ?? (await this.#answerTo(entry, request));
    // A process that knows other rules on who may answer can have written it.
    if (decision.decision === "approved" && !this.#mayAnswer(decision.by, pending))
      return { approved: false, reason: `it was approved by "${decision.by.id}", who may not answer for it` };
    return answerOf(decision);
  };

  /** Lets a waiting call run, with other arguments when `args` is given, and similar ones with `always`. */
  async approve(executionId: string, answer: Approval): Promise<void> {
    approvalOptions.check(answer);
    // What is checked is what counts, whatever becomes of the answer meanwhile.
    const { by, args, always, fingerprint } = copy(answer);
    const { pending } = await this.#answerable(executionId, by, fingerprint);
    if (args !== undefined) await this.#checkEdit(pending, args);
    const at = this.#now();
    const grant = always === undefined ? undefined : grantFor(pending, always, by, at);
    await this.#decide(executionId, { decision: "approved", by, at, ...defined({ args }) });
    if (grant !== undefined) await this.store.addGrant(grant);
  }

  async deny(executionId: string, answer: Denial): Promise<void> {
    denialOptions.check(answer);
    const { by, reason } = copy(answer);
    await this.#answerable(executionId, by, undefined);
    const at = this.#now();
    await this.#decide(executionId, { decision: "denied", by, at, ...defined({ reason }) });
  }

  /** Whether somebody may answer a question, as far as who they are decides it. Only a plain yes is one. */
  mayAnswer(by: Principal, pending: PendingApproval): boolean {
    try {
      return typeof by?.id === "string" && this.#mayAnswer(by, pending) === true;
    } catch {
      return false;
    }
  }

  /** The user said something new: whatever the run still asks is moot. Returns how many questions that were. */
  async supersede(runId: string, reason = "the user sent a new message"): Promise<number> {
    const at = this.#now();
    let recorded = 0;
    for (const { pending } of await this.store.list({ open: true, runId })) {
      if (await this.#record(pending.executionId, { decision: "superseded", at, reason })) recorded += 1;
    }
    return recorded;
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
    const now = this.#now();
    if (expiresAt !== undefined && now >= expiresAt) {
      await this.#record(executionId, { decision: "expired", at: now });
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

  /** Refuses arguments that could not run, so that the question stays open for better ones. */
  async #checkEdit(pending: PendingApproval, args: unknown): Promise<void> {
    const { executionId, name } = pending;
    const request = this.#asked.get(executionId);
    const issues = await (request === undefined ? issuesOfEdit(pending, args) : request.checkEdit(args));
    if (issues.length === 0) return;
    const problems = issues.slice(0, 5).map(({ message }) => message);
    throw refused(
      `${name} cannot be called with these arguments, so execution ${executionId} still waits: ${problems.join(" ")}`,
    );
  }

  async #decide(executionId: string, decision: ApprovalDecision): Promise<void> {
    if (await this.#record(executionId, decision)) return;
    throw refused(`Execution ${executionId} was answered by somebody else at the same moment.`);
  }

  async #record(executionId: string, decision: ApprovalDecision): Promise<boolean> {
    const recorded = await this.store.decide(executionId, decision);
    this.#waiting.get(executionId)?.abort();
    return recorded;
  }

  async #answerTo(entry: ApprovalEntry, request: ApprovalRequest): Promise<ApprovalDecision> {
    const { executionId } = request;
    this.#asked.set(executionId, request);
    try {
      return await this.#wait(entry, request.signal);
    } finally {
      if (this.#asked.get(executionId) === request) this.#asked.delete(executionId);
    }
  }

  /** Wakes up for an answer given here at once, and for one given elsewhere at the next poll. */
  async #wait({ pending }: ApprovalEntry, signal: AbortSignal | undefined): Promise<ApprovalDecision> {
    const { executionId, expiresAt } = pending;
    for (;;) {
      const now = this.#now();
      if (signal?.aborted)
        await this.#record(executionId, {
          decision: "superseded",
          at: now,
          reason: "the call was cancelled",
        });
      else if (expiresAt !== undefined && now >= expiresAt)
        await this.#record(executionId, { decision: "expired", at: now });
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
    const now = this.#now();
    return (await this.store.grants()).find(
      (grant) => covers(grant, pending, now) && this.#mayAnswer(grant.by, pending),
    );
  }

  #now(): number {
    return wallTime(this.#clock);
  }
}

/** Nobody answers for themselves, however they write their name. */
function isSomebodyElse(by: Principal, { principal }: PendingApproval): boolean {
  return principal === undefined || !isSamePerson(by, principal);
}

function waitingFor({ executionId, reasons, expiresAt }: PendingApproval): Waiting {
  const id = waitId(executionId, "approval");
  return { id, kind: "approval", note: reasons.join("; "), ...defined({ expiresAt }) };
}

function answerOf(decision: ApprovalDecision): ApprovalAnswer {
  switch (decision.decision) {
    case "approved":
      return { approved: true, by: decision.by, ...("args" in decision && { args: decision.args }) };
    case "denied":
      return {
        approved: false,
        by: decision.by,
        ...defined({ reason: decision.reason }),
      };
    case "expired":
      return { approved: false, reason: "nobody answered in time" };
    case "superseded":
      return { approved: false, reason: decision.reason ?? "the question was superseded" };
  }
}
