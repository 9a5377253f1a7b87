import { type Principal, principalOption } from "../../call/principal.ts";
import type { ProgressUpdate } from "../../call/progress.ts";
import type { ToolResult } from "../../call/result.ts";
import { wallTime } from "../../clock.ts";
import { safeCopy } from "../../copy.ts";
import { defined } from "../../defined.ts";
import { check } from "../../options/check.ts";
import { declareOptions, type OptionTable } from "../../options/declare-options.ts";
import type { Duration } from "../../options/duration.ts";
import { anyText, anything, flag } from "../../options/kinds.ts";
import {
  type Wait,
  type WaitCount,
  type WaitFilter,
  type WaitStore,
  waitFilter,
} from "../../stores/waits.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Services } from "../services.ts";
import { endWait } from "./end-wait.ts";
import { lookAfter, seeEnd } from "./look-after.ts";
import { issuesOfAnswer } from "./question.ts";
import { refused } from "./refused.ts";
import { type Operator, ResultWaits } from "./result-waits.ts";
import {
  approvedNotRunning,
  keepRunningApproved,
  type RunApprovedOptions,
  runApproved,
} from "./run-approved.ts";
import { tellTool } from "./tell-tool.ts";

/** How the question of a tool is answered. */
interface Answer {
  by: Principal;
  value?: unknown;
  declined?: boolean;
  /** Whoever was asked has put the question aside without an answer. */
  cancelled?: boolean;
  reason?: string;
}

const answerOptions = declareOptions("an answer", {
  by: principalOption({ required: true }),
  value: anything("a value that the schema of the question allows"),
  declined: flag({ default: false }),
  cancelled: flag({ default: false }),
  reason: anyText(),
} satisfies OptionTable<Answer>);

interface Cancellation {
  by?: Principal;
  reason?: string;
}

const cancelOptions = declareOptions("a cancellation", {
  by: principalOption(),
  reason: anyText(),
} satisfies OptionTable<Cancellation>);

/** What calls wait for, and how that ends. */
export class Waits {
  readonly store: WaitStore;
  readonly #services: Services;
  readonly #pipeline: Pipeline;
  readonly #results: ResultWaits;

  constructor(services: Services, pipeline: Pipeline) {
    this.store = services.waits;
    this.#services = services;
    this.#pipeline = pipeline;
    this.#results = new ResultWaits(services, pipeline, (by, wait) => this.mayAnswer(by, wait));
    services.keeper.handle((wait, lease) => lookAfter(services, pipeline, wait, lease));
  }

  /** Also looks after what other processes parked. Without it, only what was parked here. */
  start(): void {
    this.#services.keeper.start();
  }

  stop(): Promise<void> {
    return this.#services.keeper.stop();
  }

  async list(filter?: WaitFilter): Promise<readonly Wait[]> {
    waitFilter.check(filter);
    return this.store.list(filter);
  }

  async counts(): Promise<readonly WaitCount[]> {
    return this.store.counts();
  }

  /** Approvals that were given and whose calls no process runs: those that asked have died. Needs a store on disk. */
  approved(limit?: number): Promise<readonly Wait[]> {
    return approvedNotRunning(this.store, wallTime(this.#services.clock), limit);
  }

  /** Runs such a call, as it was made. Rejects with `COMPLETION_REFUSED` when it was not approved. */
  run(executionId: string, options?: RunApprovedOptions): Promise<ToolResult> {
    return runApproved(this.#services, this.#pipeline, executionId, options);
  }

  /** Runs such calls by themselves, looking every so often (default "5s"). Returns how to stop. */
  runApproved({ every = "5s" }: { every?: Duration } = {}): () => void {
    return keepRunningApproved(this.#services, this.#pipeline, check.timeout("every", every));
  }

  /** Whether somebody may end a wait without its token. Only a plain yes is one. */
  mayAnswer(by: Principal | undefined, wait: Wait): boolean {
    try {
      return typeof by?.id === "string" && this.#services.mayAnswer(by, wait) === true;
    } catch {
      return false;
    }
  }

  /** Called with every wait that is seen to end in this process. Returns how to stop. */
  onEnd(listener: (wait: Wait) => unknown): () => void {
    return this.#services.watch.on(listener);
  }

  /**
   * The result of a call that was deferred or handed out: a value, `result(...)` or `failure(...)`, as its tool would have
   * returned it. Resolves when it counts, with what it came to; with undefined where somebody else sees to the rest: who
   * holds the call, or a process that has the tool. Rejects with `COMPLETION_REFUSED`, and nothing has changed, when it does not.
   */
  complete(executionId: string, token: string | Operator, given?: unknown): Promise<ToolResult | undefined> {
    return this.#results.complete(executionId, token, given);
  }

  /** Tells how far it is: a `call.update`. */
  progress(executionId: string, token: string | Operator, update: ProgressUpdate | string): Promise<void> {
    return this.#results.progress(executionId, token, update);
  }

  /** A token with which one call that waits can be completed from elsewhere. It is told once; what is kept is its hash. */
  token(executionId: string): Promise<string> {
    return this.#results.token(executionId);
  }

  /** Whether a token is one of an execution's own, that waits or waited for a result. Tells nothing, and puts nothing on record. */
  hasToken(executionId: string, token: string): Promise<boolean> {
    return this.#results.hasToken(executionId, token);
  }

  /** Answers the question of a tool: of an execution that asks one, or of a wait. */
  async answer(id: string, answer: Answer): Promise<void> {
    answerOptions.check(answer);
    const { by, value, declined = false, cancelled = false, reason } = safeCopy(answer);
    const wait = await this.#question(id);
    if (!this.mayAnswer(by, wait))
      throw refused(`"${String(by?.id)}" may not answer for ${wait.name} (execution ${wait.executionId}).`);
    const how = declined ? "declined" : cancelled ? "cancelled" : "answered";
    const issues = how === "answered" ? issuesOfAnswer(wait, value) : [];
    if (issues.length > 0) {
      const problems = issues.slice(0, 5).map(({ message }) => message);
      throw refused(
        `The answer does not fit, so execution ${wait.executionId} still waits: ${problems.join("; ")}`,
      );
    }
    const body = how === "answered" ? { value } : defined({ reason });
    const { wait: ended, won } = await endWait(this.#services, wait, how, { by, body });
    if (!won)
      throw refused(`The question of execution ${wait.executionId} was ${ended.end.how} by somebody else.`);
    await seeEnd(this.#services, this.#pipeline, ended);
  }

  /**
   * Ends whatever an execution waits for, and else what calls that its tool has made wait for, as those of a script. A tool that
   * deferred it is told. False when it waits for nothing, also because others ended the wait at the same moment: what they
   * approved or completed stands.
   */
  async cancel(executionId: string, given: Cancellation = {}): Promise<boolean> {
    cancelOptions.check(given);
    const { by, reason } = given;
    let cancelled = false;
    for (const wait of await this.#openOf(executionId)) {
      if (by !== undefined && !this.mayAnswer(by, wait))
        throw refused(`"${String(by.id)}" may not cancel ${wait.name} (execution ${wait.executionId}).`);
      const at = wallTime(this.#services.clock);
      const why = reason === undefined ? {} : { reason };
      const ended =
        wait.kind === "approval"
          ? await endWait(this.#services, wait, "superseded", {
              by,
              body: { decision: "superseded", at, ...why },
            })
          : await endWait(this.#services, wait, "cancelled", { by, body: why });
      cancelled ||= ended.won;
      if (ended.won) await tellTool(this.#services, wait, this.#pipeline);
      // The process that runs it hears of it, and tells what came of it.
      if (wait.kind === "background") this.#services.watch.tell(ended.wait);
      else await seeEnd(this.#services, this.#pipeline, ended.wait);
    }
    return cancelled;
  }

  async #openOf(executionId: string): Promise<readonly Wait[]> {
    const own = await this.store.list({ executionId, open: true });
    if (own.length > 0) return own;
    // The id of a call that a tool makes is that of the tool's and a fingerprint.
    const isMadeByIt = (id: string) =>
      id.startsWith(`${executionId}.`) && /^[0-9a-f]{16}(?:\.|$)/.test(id.slice(executionId.length + 1));
    return (await this.store.list({ open: true })).filter((wait) => isMadeByIt(wait.executionId));
  }

  async #question(id: string): Promise<Wait> {
    const named = await this.store.get(id);
    const open =
      named === undefined
        ? await this.store.list({ executionId: id, kind: "question", open: true })
        : [named];
    const [wait, other] = open;
    if (wait === undefined || wait.kind !== "question") throw refused(`No question waits under ${id}.`);
    if (other !== undefined)
      throw refused(
        `Execution ${id} asks ${open.length} questions: answer one by its own id, such as ${wait.id}.`,
      );
    if (wait.end !== undefined) throw refused(`The question ${id} was ${wait.end.how} already.`);
    if (wait.expiresAt !== undefined && wallTime(this.#services.clock) >= wait.expiresAt) {
      await lookAfter(this.#services, this.#pipeline, wait, { at: wait.nextAt ?? 0 });
      throw refused(`The question ${id} has expired.`);
    }
    return wait;
  }
}
