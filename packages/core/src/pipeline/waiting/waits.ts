import { type Principal, principalOption } from "../../call/principal.ts";
import type { ProgressUpdate } from "../../call/progress.ts";
import type { ToolResult } from "../../call/result.ts";
import { wallTime } from "../../clock.ts";
import { safeCopy, snapshot } from "../../copy.ts";
import { defined } from "../../defined.ts";
import { ToolrigError } from "../../failure/failure.ts";
import { isThenable } from "../../maybe-promise.ts";
import { check } from "../../options/check.ts";
import { declareOptions, type OptionTable } from "../../options/declare-options.ts";
import type { Duration } from "../../options/duration.ts";
import { anyText, anything, flag } from "../../options/kinds.ts";
import { validatorFor } from "../../schema/validate.ts";
import {
  type EndedWait,
  type Wait,
  type WaitCount,
  type WaitFilter,
  type WaitStore,
  waitFilter,
  waitId,
} from "../../stores/waits.ts";
import { silence } from "../interruption.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Services } from "../services.ts";
import { type Completion, completionOf } from "./completion.ts";
import { endWait } from "./end-wait.ts";
import { finish } from "./finish.ts";
import { proceed } from "./left-call.ts";
import { lookAfter, seeEnd } from "./look-after.ts";
import { type ParkedCall, recall, toolOf } from "./parked-call.ts";
import { issuesOfAnswer } from "./question.ts";
import {
  approvedNotRunning,
  keepRunningApproved,
  type RunApprovedOptions,
  runApproved,
} from "./run-approved.ts";
import { tellTool } from "./tell-tool.ts";
import { isAmong, newToken, tokenHash } from "./token.ts";

/** Somebody who is known to the program, in the place of a token. */
export interface Operator {
  by: Principal;
}

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

  constructor(services: Services, pipeline: Pipeline) {
    this.store = services.waits;
    this.#services = services;
    this.#pipeline = pipeline;
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
  async complete(
    executionId: string,
    token: string | Operator,
    given?: unknown,
  ): Promise<ToolResult | undefined> {
    let wait = await this.#inTime(this.#open(executionId, token));
    const completion = completionOf(await given);
    // While a promise was waited for, the wait may have expired.
    if (isThenable(given)) wait = await this.#inTime(this.#open(executionId, token));
    if (completion === undefined) throw await this.#refuse(wait, "a deferral is no result");
    await this.#inTime(this.#checkShape(wait, completion));
    const by = typeof token === "string" ? undefined : token.by;
    const ending = endWait(this.#services, wait, "completed", { by, body: completion });
    const { wait: ended, won } = await this.#inTime(ending);
    if (!won) throw await this.#refuse(ended, `it was ${ended.end.how} by somebody else at the same moment`);
    return this.#settled(ended);
  }

  /** Tells how far it is: a `call.update`. */
  async progress(
    executionId: string,
    token: string | Operator,
    update: ProgressUpdate | string,
  ): Promise<void> {
    const wait = await this.#open(executionId, token);
    const told = typeof update === "string" ? { content: update } : snapshot(update);
    recall(this.#services, this.#pipeline, wait).emit({ type: "call.update", update: told });
  }

  /** A token with which one call that waits can be completed from elsewhere. It is told once; what is kept is its hash. */
  async token(executionId: string): Promise<string> {
    const token = newToken();
    const added = await this.store.revise(waitId(executionId, "result"), (wait) => {
      if (wait.end !== undefined) return undefined;
      const hash = tokenHash(token, executionId, (wait.body as ParkedCall).definitionHash);
      return { ...wait, tokens: [...(wait.tokens ?? []), hash].slice(-MAX_TOKENS) };
    });
    if (!added) throw refused(`Nothing waits for a result under execution ${executionId}.`);
    return token;
  }

  /** Whether a token is one of an execution's own, that waits or waited for a result. Tells nothing, and puts nothing on record. */
  async hasToken(executionId: string, token: string): Promise<boolean> {
    // A service may be faster than the tool that called it.
    await this.#services.early.gone(executionId);
    const wait = await this.store.get(waitId(executionId, "result"));
    return wait !== undefined && wait.kind !== "background" && isTokenOf(wait, token);
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

  /** A store or a validator that does not answer holds nobody who completes a call. */
  async #inTime<T>(pending: Promise<T>): Promise<T> {
    const { clock, answerMs } = this.#services;
    let timer: unknown;
    const late = new Promise<never>((_, reject) => {
      timer = clock.set(
        () => reject(refused(`There was ${silence(answerMs)}; ask what became of it.`)),
        answerMs,
      );
    });
    try {
      return await Promise.race([pending, late]);
    } finally {
      clock.clear(timer);
    }
  }

  /** Whoever holds the call settles it with the others of its batch; else it is settled here. */
  async #settled(ended: EndedWait): Promise<ToolResult | undefined> {
    if (this.#services.watch.tell(ended)) return undefined;
    const result = await finish(this.#services, this.#pipeline, ended);
    // Who completes a call does not wait for the one that goes on with it. If this process ends, another sees to that.
    if (result !== undefined) proceed(this.#services, this.#pipeline, ended).catch(() => {});
    return result;
  }

  async #open(executionId: string, token: string | Operator): Promise<Wait> {
    const { early, clock } = this.#services;
    // A service may be faster than the tool that called it.
    await early.gone(executionId);
    const wait = await this.store.get(waitId(executionId, "result"));
    if (wait === undefined || wait.kind === "background")
      throw refused(`Nothing waits for a result under execution ${executionId}.`);
    if (typeof token === "string") {
      if (!isTokenOf(wait, token)) throw await this.#refuse(wait, "the token is not one of its own");
    } else if (!this.mayAnswer(token?.by, wait))
      throw await this.#refuse(wait, `"${String(token?.by?.id)}" may not complete it`);
    if (wait.end !== undefined) throw await this.#refuse(wait, `it was ${wait.end.how} already`);
    if (wait.expiresAt !== undefined && wallTime(clock) >= wait.expiresAt) {
      await lookAfter(this.#services, this.#pipeline, wait, { at: wait.nextAt ?? 0 });
      throw await this.#refuse(wait, "it has expired");
    }
    return wait;
  }

  async #checkShape(wait: Wait, completion: Completion): Promise<void> {
    const parked = wait.body as ParkedCall;
    const value =
      "outcome" in completion
        ? completion.outcome.value
        : "value" in completion
          ? completion.value
          : undefined;
    if (
      "failure" in completion ||
      ("outcome" in completion && (value === undefined || completion.outcome.isError))
    )
      return;
    const output =
      toolOf(this.#services, parked)?.output ?? (parked.outputSchema && { jsonSchema: parked.outputSchema });
    if (output === undefined) return;
    const parsed = await output.parse?.(value);
    const issues =
      parsed === undefined ? validatorFor(output.jsonSchema).issues(value) : (parsed.issues ?? []);
    if (issues.length === 0) return;
    const problems = issues.slice(0, 3).map(({ message }) => message);
    throw await this.#refuse(wait, `it does not match the tool's output schema: ${problems.join("; ")}`);
  }

  /** A completion that does not count is on record; what it was for is as it was. */
  async #refuse(wait: Wait, why: string): Promise<ToolrigError> {
    const message = `The completion of ${wait.name} (execution ${wait.executionId}) was refused: ${why.replace(/\.$/, "")}.`;
    const afterMs = Math.max(0, wallTime(this.#services.clock) - wait.createdAt);
    recall(this.#services, this.#pipeline, wait).emit({
      type: "call.late",
      afterMs,
      isError: true,
      message,
    });
    return refused(message);
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

/** Who wants more has lost the earlier ones. */
const MAX_TOKENS = 8;

function isTokenOf({ executionId, body, tokens = [] }: Wait, token: string): boolean {
  return isAmong(tokenHash(token, executionId, (body as ParkedCall).definitionHash), tokens);
}

function refused(message: string): ToolrigError {
  return new ToolrigError("COMPLETION_REFUSED", message);
}
