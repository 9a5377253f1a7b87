import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import type { ToolContext } from "@toolrig/core";
import { answerFor, questionOf } from "../wire/from-mcp-question.ts";
import { askInAttempt } from "./ask-in-attempt.ts";

/** How many questions of a server one call brings to a person. */
export const MAX_QUESTIONS = 20;

/** Asks the person behind a call what a server wants to know. Rejects when the attempt is over before they have answered. */
export async function askFor(
  connection: string,
  context: ToolContext,
  asked: ElicitRequest["params"],
): Promise<ElicitResult> {
  const question = questionOf(connection, asked);
  return answerFor(asked, question, await askInAttempt(context, question));
}

/**
 * The calls that a server works on. A server of the 2025 era asks on its own account, without a word about which call it asks
 * for: the latest of them is taken, as long as all of them are made for the same principal. Otherwise nobody is asked, so that
 * no answer gets to somebody else's call.
 */
export class CallsUnderWay {
  /** How often the server has asked during each. */
  readonly #contexts = new Map<ToolContext, number>();

  add(context: ToolContext): () => void {
    this.#contexts.set(context, 0);
    return () => this.#contexts.delete(context);
  }

  /** Undefined: it cannot be told who would be asked, or they have been asked enough. */
  asking(): ToolContext | undefined {
    const contexts = [...this.#contexts.keys()];
    const principals = new Set(contexts.map(({ principal }) => principal?.id));
    const latest = contexts.at(-1);
    if (latest === undefined || principals.size !== 1) return undefined;
    const times = (this.#contexts.get(latest) ?? 0) + 1;
    this.#contexts.set(latest, times);
    return times > MAX_QUESTIONS ? undefined : latest;
  }
}
