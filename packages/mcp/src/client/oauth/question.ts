import { failure, type ToolContext } from "@toolrig/core";
import { askInAttempt } from "../ask-in-attempt.ts";
import type { AuthorizationRequest, Flow, OAuthClient } from "./oauth-client.ts";

/** Asks the person behind a call for their authorization, and resolves when there is one: by their browser, or brought by hand. */
export async function whenAuthorized(
  { name, oauth }: { name: string; oauth: OAuthClient | undefined },
  flow: Flow,
  context: ToolContext,
): Promise<void> {
  const asked = askInAttempt(context, authorizationQuestion(flow.request)).then((answer) => {
    if (answer.status !== "answered")
      throw failure({ kind: "denied", message: `Nobody authorized ${name}.` });
    const { address } = answer.value as { address?: string };
    if (address !== undefined) oauth?.bring(address);
    return flow.done;
  });
  asked.catch(() => {});
  await Promise.race([flow.done, asked]);
}

/** What a person is asked whose authorization a call needs. The address is theirs to open; nothing here does. */
function authorizationQuestion({ connection, url }: AuthorizationRequest) {
  return {
    message: `The MCP server "${connection}" needs your authorization. Open this address yourself: ${url}`,
    schema: {
      type: "object",
      properties: {
        address: {
          type: "string",
          description: "Where the browser was sent to in the end, if it could not show that",
        },
      },
      additionalProperties: false,
    },
    expires: "15m",
  } as const;
}
