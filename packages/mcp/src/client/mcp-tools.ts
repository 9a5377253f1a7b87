import { type AnyTool, result, type ToolContext, tool, validation } from "@toolrig/core";
import { defined, messageOf } from "@toolrig/core/kit";
import type { ConnectionStatus, Mcp } from "./connect-mcp.ts";
import type { ConnectionOptions } from "./connection-options.ts";

/** What is seen is what is meant: whoever approves a command reads all of it. */
const PLAIN = { type: "string", pattern: "^[\\x20-\\x7e]+$", maxLength: 2_000 } as const;
const NAME = { ...PLAIN, description: "The connection's name" } as const;
const UNTRUSTED = { integrity: "untrusted", source: "mcp" } as const;

/**
 * Tools with which a model looks after connections: `mcp_list`, `mcp_connect` and `mcp_disconnect`. By name it reaches those that
 * the operator configured or added; anything else needs approval, of the whole command or address.
 */
export function mcpTools(mcp: Mcp): AnyTool[] {
  return [listTool(mcp), connectTool(mcp), disconnectTool(mcp)];
}

function listTool(mcp: Mcp): AnyTool {
  return tool({
    name: "mcp_list",
    description: "List the connections to MCP servers: their state, and the tools that they bring",
    input: { type: "object", additionalProperties: false },
    safety: { sideEffects: "read", idempotent: true },
    labels: UNTRUSTED,
    execute: () => ({ connections: mcp.list().map(shown) }),
  });
}

function connectTool(mcp: Mcp): AnyTool {
  return tool({
    name: "mcp_connect",
    description:
      "Connect to an MCP server and get its tools. By name alone: one that mcp_list shows. Another one needs a command or a url, and the user's approval.",
    input: {
      type: "object",
      properties: {
        name: NAME,
        command: { ...PLAIN, description: "The program to start, without a shell" },
        args: { type: "array", items: PLAIN, maxItems: 50, description: "The arguments of the program" },
        url: { ...PLAIN, description: "The address of a server that speaks streamable HTTP" },
      },
      required: ["name"],
      additionalProperties: false,
    },
    safety: { sideEffects: "external" },
    labels: UNTRUSTED,
    approval: ({ command, url }) => command !== undefined || url !== undefined,
    execute: ({ name, command, args, url }, context) => {
      if (command === undefined && url === undefined && args === undefined)
        return connected(mcp, name, undefined, context);
      const options = {
        ...(command !== undefined && { command, args: args ?? [] }),
        ...defined({ url }),
      };
      return connected(mcp, name, options, context);
    },
  });
}

async function connected(
  mcp: Mcp,
  name: string,
  options: ConnectionOptions | undefined,
  context: ToolContext,
) {
  const known = mcp.list().some((each) => each.name === name);
  if (known && options !== undefined)
    return validation(`There is a connection "${name}": connect it by name alone, or choose another name.`);
  try {
    const by = context.principal ?? { id: "a model" };
    await (options === undefined ? mcp.connect(name) : mcp.connect(name, options, by));
  } catch (error) {
    return validation(messageOf(error));
  }
  await mcp.authorized(name, context);
  return shown(mcp.get(name));
}

function disconnectTool(mcp: Mcp): AnyTool {
  return tool({
    name: "mcp_disconnect",
    description: "Disconnect from an MCP server: its tools are gone until it is connected again",
    input: { type: "object", properties: { name: NAME }, required: ["name"], additionalProperties: false },
    safety: { sideEffects: "write", idempotent: true },
    async execute({ name }) {
      try {
        await mcp.disconnect(name);
      } catch (error) {
        return validation(messageOf(error));
      }
      return result({ value: { name, state: "disabled" } });
    },
  });
}

/** What a model is told: nothing that is secret, and not every detail. */
function shown({ name, state, target, reason, tools, skipped, quarantined }: ConnectionStatus) {
  return {
    name,
    state,
    target,
    ...defined({ reason }),
    tools,
    ...(skipped.length > 0 && { skipped: skipped.length }),
    ...(quarantined.length > 0 && { quarantined: quarantined.map((each) => each.name) }),
  };
}
