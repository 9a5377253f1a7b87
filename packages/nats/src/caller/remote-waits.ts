import { type Principal, type ProgressUpdate, ToolrigError } from "@toolrig/core";
import { check, messageOf } from "@toolrig/core/kit";
import { encodeCompleting } from "../wire/completions.ts";
import { keyOf, pipelineIdOf, SUBJECT } from "../wire/names.ts";
import { type Line, publishCancel } from "./cancel-call.ts";
import { signed } from "./signed.ts";

/** An answer to a question of a tool. */
export interface RemoteAnswer {
  by: Principal;
  value?: unknown;
  declined?: boolean;
  reason?: string;
}

const ANSWER_MS = 10_000;

/** What calls of the fleet wait for, and how that ends, for who is not a worker: workers see to it. */
export class RemoteWaits {
  readonly #line: Line;
  readonly #caller: string | undefined;

  constructor(line: Line, caller: string | undefined) {
    this.#line = line;
    this.#caller = caller;
  }

  /**
   * The result of a call that was deferred or handed out: a value or `failure(...)`, of any caller's, by the execution id and the
   * token that its tool was given; this caller's own calls also by the id that it chose. Resolves when
   * it counts. Rejects with `COMPLETION_REFUSED`, and nothing has changed, when it does not; with `STORE_FAILED` when no worker
   * answers, and then it may count.
   */
  async complete(executionId: string, token: string, given?: unknown): Promise<void> {
    check.string("executionId", executionId);
    check.string("token", token);
    await this.#bring(executionId, (id) => encodeCompleting(id, token, given));
  }

  /** Tells how far it is: a `call.update` for its caller. Rejects as `complete` does. */
  async progress(executionId: string, token: string, update: ProgressUpdate | string): Promise<void> {
    check.string("executionId", executionId);
    check.string("token", token);
    await this.#bring(executionId, (execution) => JSON.stringify({ execution, token, update }));
  }

  /** Answers a question of a call of this caller's, by the id of the wait: `result.waiting.id`. Rejects as `complete` does. */
  async answer(question: string, answer: RemoteAnswer): Promise<void> {
    check.string("question", question);
    check.known("An answer", answer, ["by", "value", "declined", "reason"]);
    const executionId = question.slice(0, Math.max(0, question.lastIndexOf(":")));
    if (executionId === "")
      throw check.invalid("question", "the id of a wait, as result.waiting has it", question);
    const subject = `${SUBJECT.answer}.${keyOf(executionId, this.#caller)}`;
    await this.#ask(subject, JSON.stringify({ question, ...answer }));
  }

  /** Asks for the end of a call of this caller's, which waits or runs. Its result tells what came of that. */
  cancel(executionId: string): void {
    publishCancel(this.#line, keyOf(executionId, this.#caller));
  }

  /** A tool knows its execution by its key, and a caller with a name its own by the id that it chose. The token fits one of them. */
  async #bring(executionId: string, encode: (id: string) => string): Promise<void> {
    const own = this.#caller === undefined ? executionId : pipelineIdOf(keyOf(executionId, this.#caller));
    try {
      await this.#ask(SUBJECT.complete, encode(executionId));
    } catch (error) {
      if (own === executionId || !isUnknown(error)) throw error;
      await this.#ask(SUBJECT.complete, encode(own));
    }
  }

  async #ask(subject: string, text: string): Promise<void> {
    let told: { ok?: unknown; code?: unknown; message?: unknown };
    const { connection, signer } = this.#line;
    try {
      const options = { timeout: ANSWER_MS, ...signed(signer, subject, text) };
      told = (await connection.request(subject, text, options)).json();
    } catch (cause) {
      const message = `No worker of the fleet said whether it counts: ${messageOf(cause)}. Ask for the result, or try again.`;
      throw new ToolrigError("STORE_FAILED", message, { cause });
    }
    if (told?.ok === true) return;
    const code = told?.code === "COMPLETION_REFUSED" ? "COMPLETION_REFUSED" : "STORE_FAILED";
    throw new ToolrigError(code, typeof told?.message === "string" ? told.message : "A worker refused it.");
  }
}

/** Nothing waits under the id. */
function isUnknown(error: unknown): boolean {
  return (
    ToolrigError.isInstance(error) &&
    error.code === "COMPLETION_REFUSED" &&
    error.message.startsWith("Nothing waits")
  );
}
