import { ToolrigError } from "@toolrig/core";
import { changeServers } from "../../config/mcp-store.ts";
import { NotFound } from "../../shell/not-found.ts";
import { note, printJson } from "../../terminal/output.ts";
import { type McpAction, namedServer } from "./action.ts";

/** Forgets a connection and what was accepted of it. */
export async function remove(action: McpAction): Promise<number> {
  const name = namedServer(action, "remove");
  await changeServers(action.values, async ({ store: { catalog }, servers }) => {
    const isDamaged = catalog.get("connection", name)?.damage !== undefined;
    if (!isDamaged && servers.some((each) => each.name === name && each.from === "config"))
      throw new ToolrigError("OPTION_INVALID", `The server "${name}" is in the config: take it out there.`);
    if (!(await catalog.remove("connection", name)))
      throw new NotFound(`There is no MCP server "${name}" in the store.`);
  });
  if (action.values.json === true) printJson({ removed: name });
  note(`${name} is removed.`, "dim");
  return 0;
}
