import { ToolrigError } from "@toolrig/core";
import { accept as accepted, changesOf, reviewOf } from "@toolrig/mcp/client";
import { changeServers, type KeptServer } from "../../config/mcp-store.ts";
import { NotFound } from "../../shell/not-found.ts";
import { note, printJson } from "../../terminal/output.ts";
import { type McpAction, namedServer } from "./action.ts";

/** Accepts tools in quarantine as they were listed: all of a server, or one. Connects to nothing. */
export async function accept(action: McpAction): Promise<number> {
  const name = namedServer(action, "accept");
  const { values, rest } = action;
  const names = rest.length === 0 ? undefined : rest;
  const taken = await changeServers(values, async ({ store: { catalog } }) => {
    const entry = catalog.get("connection", name);
    if (entry === undefined) throw new NotFound(`Nothing is known of an MCP server "${name}".`);
    const kept = (entry.spec ?? {}) as KeptServer;
    const changes = changesOf(kept).filter((each) => names === undefined || names.includes(each.name));
    const missing = names?.find((each) => !changes.some((change) => change.name === each));
    if (missing !== undefined)
      throw new NotFound(`Nothing of ${name} called "${missing}" waits to be accepted.`);
    if (values.reviewed !== undefined && values.reviewed !== reviewOf(changes))
      throw new ToolrigError(
        "OPTION_INVALID",
        `What waits is no longer what was shown: look at it again with "toolrig mcp diff ${name}".`,
      );
    const { record, accepted: all } = accepted(kept, names);
    if (all.length > 0) await catalog.put({ ...entry, spec: { ...kept, ...record } });
    return all;
  });
  if (values.json === true) printJson({ name, accepted: taken });
  note(taken.length === 0 ? `Nothing of ${name} waits.` : `Accepted: ${taken.join(", ")}`, "dim");
  return 0;
}
