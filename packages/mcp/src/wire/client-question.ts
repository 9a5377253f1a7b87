import type { CreateMessageRequestParams } from "@modelcontextprotocol/server";
import type { JsonSchema } from "@toolrig/core";
import { check } from "@toolrig/core/kit";

/** What a tool may ask of the client that called it, besides the person at it. */
type ClientRequest =
  | { method: "sampling/createMessage"; params: CreateMessageRequestParams }
  | { method: "roots/list"; params: Record<string, never> };

/** The keyword by which a question says that a client may answer it by itself. Validators pass it over. */
const KEYWORD = "x-mcp-request";
/** The keyword by which a question has the address that the person is to open. */
const ADDRESS = "x-mcp-url";

/**
 * A question for the model of the MCP client that called the tool: `await ctx.ask(askModel({ messages, maxTokens }))`. Its
 * answer is the client's `CreateMessageResult`. Where no such client is there, whoever answers questions sees the text.
 */
export function askModel(params: CreateMessageRequestParams, title = "sampling") {
  check.object("params", params, "what the model is asked, such as { messages, maxTokens: 100 }");
  check.list("messages", params.messages, "a list of messages");
  return questionFor(title, `Ask the model: ${samplingText(params)}`, {
    method: "sampling/createMessage",
    params,
  });
}

/** A question for the roots of the MCP client that called the tool. Its answer is `{ roots: [{ uri, name? }] }`. */
export function askRoots(title = "roots") {
  return questionFor(title, "Which folders may be worked in?", { method: "roots/list", params: {} });
}

function questionFor(title: string, message: string, request: ClientRequest) {
  return { message, schema: { type: "object", title, [KEYWORD]: request } as const };
}

/** What a question asks of the client itself; undefined for one that is for a person. */
export function clientRequestOf(schema: JsonSchema): ClientRequest | undefined {
  const request = (schema as Readonly<Record<string, unknown>>)[KEYWORD];
  return request === undefined ? undefined : (request as ClientRequest);
}

/** A question whose answer is that the person has opened an address: a client that opens addresses is given it as such. */
export function addressQuestion(schema: JsonSchema, url: string): JsonSchema {
  return { ...schema, [ADDRESS]: url };
}

export function addressOf(schema: JsonSchema): string | undefined {
  const url = (schema as Readonly<Record<string, unknown>>)[ADDRESS];
  return typeof url === "string" ? url : undefined;
}

function samplingText({ messages }: CreateMessageRequestParams): string {
  const texts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [content]));
  return texts.map((each) => (each.type === "text" ? each.text : `[${each.type}]`)).join("\n");
}
