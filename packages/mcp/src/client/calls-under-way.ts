import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import type { LogLevel, ToolContext } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { cleanMeta } from "../defence/clean-notes.ts";
import { cleanLine, cleanText } from "../defence/clean-text.ts";
import { cleanValue } from "../defence/clean-value.ts";
import { measure } from "../defence/measure.ts";
import { noticeText } from "../defence/notifications.ts";
import type { CarriedLog } from "../wire/carried.ts";
import { answerFor, questionOf } from "../wire/from-mcp-question.ts";
import { askInAttempt } from "./ask-in-attempt.ts";
import { paced } from "./paced.ts";
import type { ServerLog } from "./session.ts";

/** How many questions of a server one call brings to a person. */
export const MAX_QUESTIONS = 20;

/** Characters of one message that a server logs. */
const MAX_LOG = 2_000;
const LOG_DATA = { size: MAX_LOG, depth: 20 };

const LOG_LEVELS: Readonly<Record<ServerLog["level"], LogLevel>> = {
  debug: "debug",
  info: "info",
  notice: "info",
  warning: "warn",
  error: "error",
  critical: "error",
  alert: "error",
  emergency: "error",
};

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
  readonly #pace = paced();

  add(context: ToolContext): () => void {
    this.#contexts.set(context, 0);
    return () => this.#contexts.delete(context);
  }

  /**
   * Gives what the server logs to the call that it works on, cleaned. To none when it cannot be told which: no call is under way, or calls of
   * several principals are.
   */
  log({ level, logger, data, _meta }: ServerLog): void {
    const context = this.#latest();
    if (context === undefined || !this.#pace()) return;
    const words = cleanText(noticeText({ data }).slice(0, MAX_LOG)).text;
    const source = logger === undefined ? undefined : cleanLine(String(logger), 100);
    const { size, depth } = measure(data, LOG_DATA);
    const isWhole = typeof data === "object" && size <= LOG_DATA.size && depth <= LOG_DATA.depth;
    const told = isWhole ? cleanValue(data) : words;
    const mcp: CarriedLog = { level, data: told, ...defined({ logger: source, meta: cleanMeta(_meta) }) };
    context.log[LOG_LEVELS[level]](source === undefined ? words : `${source}: ${words}`, { mcp });
  }

  #latest(): ToolContext | undefined {
    const contexts = [...this.#contexts.keys()];
    const principals = new Set(contexts.map(({ principal }) => principal?.id));
    return principals.size === 1 ? contexts.at(-1) : undefined;
  }

  /** Undefined: it cannot be told who would be asked, or they have been asked enough. */
  asking(): ToolContext | undefined {
    const latest = this.#latest();
    if (latest === undefined) return undefined;
    const times = (this.#contexts.get(latest) ?? 0) + 1;
    this.#contexts.set(latest, times);
    return times > MAX_QUESTIONS ? undefined : latest;
  }
}
