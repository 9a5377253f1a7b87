import type { CreateMessageRequestParams } from "@modelcontextprotocol/client";
import { failure, type ToolContext } from "@toolrig/core";
import { defined, isRecord } from "@toolrig/core/kit";
import { cleanText } from "../defence/clean-text.ts";
import { cleanValue } from "../defence/clean-value.ts";
import { measure } from "../defence/measure.ts";
import { askModel, askRoots } from "../wire/client-question.ts";
import { askInAttempt } from "./ask-in-attempt.ts";
import type { Give } from "./connection-options.ts";

/** What a server asks of the client in front, by method. */
export const GIVEN: Readonly<Record<string, Give>> = {
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

/** Of what a model is asked. */
const ASKED = { size: 100_000, depth: 20 };
const MAX_TOKENS = 100_000;

/**
 * Asks the client of a call for what its server wants: an answer of the client's model, or its folders. The question is marked as the
 * server's, and whoever sees questions elsewhere can decline it. Rejects when nobody gives it.
 */
export async function askClientFor(
  connection: string,
  context: ToolContext,
  give: Give,
  params: unknown,
): Promise<Record<string, unknown>> {
  const title = `${give} for the MCP server "${connection}"`;
  const asked = give === "roots" ? askRoots(title) : askModel(samplingOf(connection, params), title);
  const message = `The MCP server "${connection}" asks (its own words, not verified): ${asked.message}`;
  const answer = await askInAttempt(context, { ...asked, message });
  if (answer.status === "answered" && isRecord(answer.value)) return answer.value;
  throw failure({ kind: "denied", message: `${connection} asked for ${give}, and was not given it.` });
}

/** Only what a model may be asked by a stranger: neither tools nor the context of other servers. */
function samplingOf(connection: string, given: unknown): CreateMessageRequestParams {
  const { size, depth } = measure(given, ASKED);
  if (!isRecord(given) || !Array.isArray(given.messages) || size > ASKED.size || depth > ASKED.depth)
    throw failure({
      kind: "denied",
      message: `What a model is asked is messages of at most ${ASKED.size} characters.`,
    });
  const { messages, systemPrompt, maxTokens, temperature, stopSequences, modelPreferences } = given;
  const most = typeof maxTokens === "number" && maxTokens > 0 ? Math.min(maxTokens, MAX_TOKENS) : 1_000;
  const words = typeof systemPrompt === "string" ? `:\n${cleanText(systemPrompt).text}` : ".";
  const marked = `The MCP server "${connection}" asks this (its own words, not verified)${words}`;
  return {
    messages: cleanValue(messages),
    maxTokens: most,
    systemPrompt: marked,
    ...defined({
      temperature,
      stopSequences: cleanValue(stopSequences),
      modelPreferences: cleanValue(modelPreferences),
    }),
  } as CreateMessageRequestParams;
}
