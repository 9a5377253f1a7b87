import { statSync } from "node:fs";
import { connectMcp } from "@toolrig/mcp/client";
import { openStore, type Store } from "@toolrig/store";
import type { Loaded } from "../../config/load-settings.ts";
import { catalogCopy, mcpOf, whenTried } from "../../config/mcp-settings.ts";
import { partsOf, withoutStore } from "../../config/open-rig.ts";
import { isStore } from "../../rig/assemble.ts";
import { counted } from "../../terminal/counted.ts";
import { redactedText } from "../../terminal/redaction.ts";
import type { Finding } from "./finding.ts";

/** One that is empty is none yet. */
const isThere = (file: string) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Connects to every MCP server of the config and the store once, beside what is kept of them: nothing is changed. */
export async function checkMcp(settings: Loaded): Promise<Finding[]> {
  const mcp = mcpOf(settings.rig);
  if (mcp === undefined) return [];
  const { store: place } = settings.rig;
  const opened =
    typeof place === "string" && isThere(place) ? openStore(place, { readOnly: true }) : undefined;
  const store: Store | undefined = opened ?? (isStore(place) ? place : undefined);
  const { registry } = partsOf(withoutStore(settings));
  const connections = connectMcp({ registry, store: { catalog: catalogCopy(store) } }, mcp);
  try {
    await whenTried(connections);
    return connections.list().map(({ name, state, tools, quarantined, reason }): Finding => {
      const check = `mcp ${name}`;
      if (state !== "ready") {
        const message = redactedText(reason ?? state);
        return { status: "fail", check, message, fix: `See what it says: toolrig mcp test ${name}` };
      }
      const message = counted(tools.length, "tool");
      if (quarantined.length === 0) return { status: "ok", check, message };
      const wait = `${message}, ${counted(quarantined.length, "new or changed one")} to be accepted`;
      return {
        status: "warn",
        check,
        message: wait,
        fix: `toolrig mcp diff ${name}, then toolrig mcp accept ${name}`,
      };
    });
  } finally {
    await connections.close();
    opened?.close();
  }
}
