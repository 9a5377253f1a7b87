import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import type { JsonSchema, WaitContext } from "@toolrig/core";
import { canonicalJson } from "@toolrig/core/kit";
import { cleanLine } from "../defence/clean-text.ts";
import { answerFor, questionOf } from "../wire/from-mcp-question.ts";
import { MAX_QUESTIONS } from "./calls-under-way.ts";

type Asked = ElicitRequest["params"];

/** A question of a task of the 2025 era, which its server waits with. */
interface OpenQuestion {
  readonly asked: Asked;
  /** Which of its task it is. */
  readonly key: string;
  answer(result: ElicitResult): void;
}

const RELATED_TASK = "io.modelcontextprotocol/related-task";
/** So many tasks are counted for; who asks more has forgotten the oldest. */
const MAX_TASKS = 1_000;
const SOON_MS = 2_000;

/**
 * What tasks of a server ask. In the 2025 era it comes while somebody waits for the result of a task: so somebody does, and the
 * server waits with its question until the person behind the call has answered it.
 */
export class TaskQuestions {
  readonly #connection: string;
  readonly #followed = new Map<string, { open: OpenQuestion | undefined; asked: () => void }>();
  /** What each task has asked, and how often it was told the answer. */
  readonly #asked = new Map<string, Map<string, number>>();

  constructor(connection: string) {
    this.#connection = connection;
  }

  /** What a task asks now, also shortly after. `wait` waits for its result, of which nothing is needed here. */
  async openOf(taskId: string, wait: () => Promise<unknown>): Promise<OpenQuestion | undefined> {
    if (!this.#followed.has(taskId)) {
      const asked = new Promise<void>((resolve) => {
        this.#followed.set(taskId, { open: undefined, asked: resolve });
      });
      const done = () => {
        this.#followed.get(taskId)?.open?.answer({ action: "cancel" });
        this.#followed.delete(taskId);
      };
      const over = wait().then(done, done);
      await Promise.race([asked, over, pause(SOON_MS, undefined, { ref: false })]);
    }
    return this.#followed.get(taskId)?.open;
  }

  /** Undefined when the question is of no task that is followed. */
  hear(asked: Asked, signal: AbortSignal): Promise<ElicitResult> | undefined {
    const meta = asked._meta as { [RELATED_TASK]?: { taskId?: unknown } } | undefined;
    const taskId = String(meta?.[RELATED_TASK]?.taskId);
    const followed = this.#followed.get(taskId);
    if (followed === undefined || followed.open !== undefined) return undefined;
    return new Promise((resolve) => {
      const answer = (result: ElicitResult) => {
        followed.open = undefined;
        resolve(result);
      };
      signal.addEventListener("abort", () => answer({ action: "cancel" }), { once: true });
      followed.open = { asked, key: String((this.#asked.get(taskId)?.size ?? 0) + 1), answer };
      followed.asked();
    });
  }

  /**
   * What the person behind a call says to a question of its task; undefined while they have not. `key` tells the same words of
   * another time from these. One that asks too often is told that it was cancelled.
   */
  async answer(
    taskId: string,
    wait: WaitContext,
    asked: Asked,
    key: string,
  ): Promise<ElicitResult | undefined> {
    const told = this.#timesTold(taskId, nameOf(asked, key));
    if (told === undefined) return { action: "cancel" };
    const question = questionOf(this.#connection, asked);
    const $comment = `question ${cleanLine(key, 100)}, ${told + 1}`;
    const answer = await wait.ask({
      message: question.message,
      schema: { ...question.schema, $comment } as JsonSchema,
    });
    return answer && answerFor(asked, question, answer);
  }

  /** The server has the answer: if it asks the same again, that did not fit. */
  delivered(taskId: string, asked: Asked, key: string): void {
    const questions = this.#asked.get(taskId);
    const name = nameOf(asked, key);
    questions?.set(name, (questions.get(name) ?? 0) + 1);
  }

  /** Undefined when it has asked enough. */
  #timesTold(taskId: string, name: string): number | undefined {
    const questions = this.#asked.get(taskId) ?? new Map<string, number>();
    this.#asked.set(taskId, questions);
    for (const oldest of this.#asked.keys()) {
      if (this.#asked.size <= MAX_TASKS) break;
      this.#asked.delete(oldest);
    }
    const told = questions.get(name) ?? 0;
    questions.set(name, told);
    const all = [...questions.values()].reduce((sum, times) => sum + Math.max(1, times), 0);
    if (all <= MAX_QUESTIONS) return told;
    if (told === 0) questions.delete(name);
    return undefined;
  }
}

function nameOf(asked: Asked, key: string): string {
  return createHash("sha256")
    .update(canonicalJson([key, asked]))
    .digest("base64url");
}
