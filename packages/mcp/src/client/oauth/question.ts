import type { AuthorizationRequest } from "./oauth-client.ts";

/** What a person is asked whose authorization a call needs. The address is theirs to open; nothing here does. */
export function authorizationQuestion({ connection, url }: AuthorizationRequest) {
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
