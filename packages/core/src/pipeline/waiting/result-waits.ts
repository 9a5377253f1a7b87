import type { Principal } from "../../call/principal.ts";
import type { ProgressUpdate } from "../../call/progress.ts";
import type { ToolResult } from "../../call/result.ts";
import { wallTime } from "../../clock.ts";
import { snapshot } from "../../copy.ts";
import type { ToolrigError } from "../../failure/failure.ts";
import { isThenable } from "../../maybe-promise.ts";
import { validatorFor } from "../../schema/validate.ts";
import { type EndedWait, type Wait, waitId } from "../../stores/waits.ts";
import { silence } from "../interruption.ts";
import type { Pipeline } from "../pipeline.ts";
import type { Services } from "../services.ts";
import { type Completion, completionOf } from "./completion.ts";
import { endWait } from "./end-wait.ts";
import { finish } from "./finish.ts";
import { proceed } from "./left-call.ts";
import { lookAfter } from "./look-after.ts";
import { type ParkedCall, recall, toolOf } from "./parked-call.ts";
import { refused } from "./refused.ts";
import { isAmong, newToken, tokenHash } from "./token.ts";

/** Somebody who is known to the program, in the place of a token. */
export interface Operator {
  by: Principal;
}

/** Calls that wait for a result from elsewhere: its tokens, its progress and its completion. */
export class ResultWaits {
  readonly #services: Services;
  readonly #pipeline: Pipeline;
  readonly #mayAnswer: (by: Principal | undefined, wait: Wait) => boolean;

  constructor(
    services: Services,
    pipeline: Pipeline,
    mayAnswer: (by: Principal | undefined, wait: Wait) => boolean,
  ) {
    this.#services = services;
    this.#pipeline = pipeline;
    this.#mayAnswer = mayAnswer;
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
    const added = await this.#services.waits.revise(waitId(executionId, "result"), (wait) => {
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
    const wait = await this.#services.waits.get(waitId(executionId, "result"));
    return wait !== undefined && wait.kind !== "background" && isTokenOf(wait, token);
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
    const wait = await this.#services.waits.get(waitId(executionId, "result"));
    if (wait === undefined || wait.kind === "background")
      throw refused(`Nothing waits for a result under execution ${executionId}.`);
    if (typeof token === "string") {
      if (!isTokenOf(wait, token)) throw await this.#refuse(wait, "the token is not one of its own");
    } else if (!this.#mayAnswer(token?.by, wait))
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
}

/** Who wants more has lost the earlier ones. */
const MAX_TOKENS = 8;

function isTokenOf({ executionId, body, tokens = [] }: Wait, token: string): boolean {
  return isAmong(tokenHash(token, executionId, (body as ParkedCall).definitionHash), tokens);
}
