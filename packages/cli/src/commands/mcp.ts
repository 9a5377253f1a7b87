import { chooseAction } from "../shell/choose-action.ts";
import { command } from "../shell/command.ts";
import { EXIT_CODE, EXIT_FAILED } from "../shell/exit-code.ts";
import { accept } from "./mcp/accept.ts";
import { MCP_OPTIONS } from "./mcp/action.ts";
import { add } from "./mcp/add.ts";
import { diff } from "./mcp/diff.ts";
import { list } from "./mcp/list.ts";
import { protocolOutput } from "./mcp/protocol-output.ts";
import { remove } from "./mcp/remove.ts";
import { test } from "./mcp/test.ts";

const ACTIONS = { add, remove, list, test, diff, accept };

export const mcp = command({
  name: "mcp",
  positionals: ["[add|remove|list|test|diff|accept]", "[NAME]", "[ARGUMENTS...]"],
  options: MCP_OPTIONS,
  details: [
    "Without more, it speaks MCP (2026-07-28 and 2025-11-25) over standard input and output with the client that started it,",
    "until standard input ends or a signal comes. What tools and their children print goes to standard error.",
    "",
    "add NAME -- PROGRAM ARGUMENTS or add NAME --url URL keeps a connection in the store; add [NAME] --from FILE those of a file",
    "of another program, which is only read. Nothing is started by adding. The tools of added and configured servers are",
    "there for call, run and tools. list shows them without connecting, test [NAME] connects and tells what came.",
    "",
    "The tools of the first listing are accepted. One that is new or changed afterwards is not registered until a person",
    "accepts it: diff NAME [TOOL] shows what would change, accept NAME [TOOL] takes it as it was shown.",
    "",
    `Exit codes: ${EXIT_FAILED} of diff when something waits to be accepted, ${EXIT_CODE.unavailable} of test when a server is not`,
    `there, ${EXIT_CODE.not_found} when no server has the name.`,
  ].join("\n"),
  examples: [
    "claude mcp add tools -- npx toolrig mcp --config /path/to/toolrig.config.ts",
    "toolrig mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
    "toolrig mcp add docs --url https://docs.example.com/mcp --header 'x-key=$KEY'",
    "toolrig mcp add --from .mcp.json",
    "toolrig mcp test",
    "toolrig mcp diff files && toolrig mcp accept files",
  ],

  async run({ values, positionals: [action, name, ...rest] }) {
    if (action === undefined) {
      const output = protocolOutput();
      return (await import("./mcp/serve-stdio.ts")).serveStdio(values.config, output);
    }
    return chooseAction("mcp", action, ACTIONS)({ values, name, rest: rest as readonly string[] });
  },
});
