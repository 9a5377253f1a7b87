import { STORE_OPTIONS } from "../../config/open-store-file.ts";
import { needed } from "../../shell/choose-action.ts";
import type { Invocation } from "../../shell/command.ts";

export const MCP_OPTIONS = {
  ...STORE_OPTIONS,
  url: { type: "string", value: "URL", describe: "add: the address of a server that speaks streamable HTTP" },
  header: { type: "string", multiple: true, value: "NAME=VALUE", describe: "add: sent with every request" },
  env: {
    type: "string",
    multiple: true,
    value: "NAME[=VALUE]",
    describe: "add: a variable for the program; without a value, the one of the process that starts it",
  },
  cwd: {
    type: "string",
    value: "FOLDER",
    describe: "add: where the program is started (default: this folder)",
  },
  trust: { type: "boolean", describe: "add: believe what the server says of its tools' safety" },
  from: { type: "string", value: "FILE", describe: "add: servers of an .mcp.json, Claude or VS Code file" },
  input: { type: "string", multiple: true, value: "ID=VALUE", describe: "add: what such a file asks for" },
  replace: { type: "boolean", describe: "add: in the place of the server that has the name" },
  reviewed: { type: "string", value: "REVIEW", describe: "accept: only what diff showed with this number" },
} as const;

/** What an action of the command is told. */
export interface McpAction {
  values: Invocation<typeof MCP_OPTIONS>["values"];
  name: string | undefined;
  rest: readonly string[];
}

/** The name without which an action has no meaning. */
export function namedServer({ name }: McpAction, action: string): string {
  return needed(name, `mcp ${action}`, 'NAME, from "toolrig mcp list"');
}
