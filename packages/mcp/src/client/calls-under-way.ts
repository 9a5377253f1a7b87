import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import type { ToolContext } from "@toolrig/core";
import { answerFor, questionOf } from "../wire/from-mcp-question.ts";

/** Asks the person behind a call what a server wants to know. */
export async function askFor(
  connection: string,
  context: ToolContext,
  asked: ElicitRequest["params"],
): Promise<ElicitResult> {
  const question = questionOf(connection, asked);
  return answerFor(asked, question, await context.ask(question));
}

/**
 * The calls that a server works on. A server of the 2025 era asks on its own account, without a word about which call it asks
 * for: the latest of them is taken, as long as all of them are made for the same principal. Otherwise nobody is asked, so that
 * no answer gets to somebody else's call.
 */
export class CallsUnderWay {
  readonly #contexts = new Set<ToolContext>();

  add(context: ToolContext): () => void {
    this.#contexts.add(context);
    return () => this.#contexts.delete(context);
  }

  /** Undefined: it cannot be told who would be asked. */
  asking(): ToolContext | undefined {
    const contexts = [...this.#contexts];
    const principals = new Set(contexts.map(({ principal }) => principal?.id));
    return principals.size === 1 ? contexts.at(-1) : undefined;
  }
}
