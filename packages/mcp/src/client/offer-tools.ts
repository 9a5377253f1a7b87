import { type AnyTool, result, type ToolContext } from "@toolrig/core";
import { defineTool, mayRepeat } from "@toolrig/core/kit";
import { connectionPrefix } from "../defence/naming.ts";
import { safetyFrom } from "../defence/safety.ts";
import { labelsOf } from "../wire/from-mcp-content.ts";
import { completionOf, promptOf, readOf } from "../wire/from-mcp-offer.ts";
import type { Connection } from "./connection.ts";

/** What a server can be asked for beside calls of its tools. */
export type OfferKind = "prompts" | "resources" | "completions";

const OWN_NAMES = { prompts: "prompts.get", resources: "resources.read", completions: "completion.complete" };
const METHODS = {
  prompts: "prompts/get",
  resources: "resources/read",
  completions: "completion/complete",
} as const;

/** The name of the tool that asks a connection's server. No tool of a server has a dot in its name. */
export function offerToolName(connection: string, kind: OfferKind): string {
  return connectionPrefix(connection) + OWN_NAMES[kind];
}

const TEXT = { type: "string" } as const;
const TEXTS = { type: "object", additionalProperties: TEXT } as const;
const closed = (properties: object, required: readonly string[]) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

const INPUTS = {
  prompts: closed({ name: TEXT, arguments: TEXTS }, ["name"]),
  resources: closed({ uri: { type: "string", minLength: 1, maxLength: 4_000 } }, ["uri"]),
  completions: closed(
    {
      ref: closed({ type: { enum: ["ref/prompt", "ref/resource"] }, name: TEXT, uri: TEXT }, ["type"]),
      argument: closed({ name: TEXT, value: TEXT }, ["name", "value"]),
      context: closed({ arguments: TEXTS }, []),
    },
    ["ref", "argument"],
  ),
};

const DESCRIPTIONS = {
  prompts: "Get a prompt of the MCP server",
  resources: "Read a resource of the MCP server",
  completions: "Ask the MCP server how an argument may go on",
};

/**
 * Asks a server for a prompt, a resource or completions, by the path of every other call: guards, limits and records are the same. MCP
 * clients in front use it; models are not offered it.
 */
export function offerTool(connection: Connection, kind: OfferKind): AnyTool {
  const { server, name } = connection;
  const hints = { readOnlyHint: true, idempotentHint: true, openWorldHint: true };
  const safety = safetyFrom(hints, server.trust ?? "none");
  return defineTool(
    {
      name: offerToolName(name, kind),
      description: `${DESCRIPTIONS[kind]} ${name}.`,
      input: INPUTS[kind],
      safety,
      type: "mcp",
      timeout: server.timeoutMs,
      idleTimeout: server.idleTimeoutMs,
      labels: labelsOf(name),
      preference: { enabled: false },
      available: () => connection.available(),
      execute: (args, context) =>
        asked(connection, kind, args as Record<string, unknown>, context, mayRepeat(safety)),
    },
    { trusted: false },
  );
}

async function asked(
  connection: Connection,
  kind: OfferKind,
  args: Record<string, unknown>,
  context: ToolContext,
  isRepeatable: boolean,
) {
  const { answerTo } = await import("./call.ts");
  const method = METHODS[kind];
  const params = context.trace === undefined ? args : { ...args, _meta: { ...context.trace } };
  const { answer } = await answerTo(
    connection,
    { what: method, send: (session, more, options) => session.ask(method, { ...params, ...more }, options) },
    context,
    isRepeatable,
  );
  const { name, server } = connection;
  const given = answer as Record<string, unknown>;
  if (kind === "completions") return result({ value: completionOf(given), labels: labelsOf(name) });
  return kind === "prompts"
    ? promptOf(name, given, server.limits.result)
    : readOf(name, given, server.limits.result);
}
