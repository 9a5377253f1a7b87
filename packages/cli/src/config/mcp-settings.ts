import { ToolrigError } from "@toolrig/core";
import { type CatalogEntry, MemoryCatalog } from "@toolrig/core/kit";
import type { McpOptions } from "@toolrig/mcp";
import type { Store } from "@toolrig/store";
import type { RigOptions } from "../rig/assemble.ts";
import type { Rig } from "../rig/rig.ts";
import { counted } from "../terminal/counted.ts";
import { note } from "../terminal/output.ts";

/** How long a command waits for servers. Those that come later are there for the next one. */
const WAIT_MS = 30_000;

/** The servers of a config, and those that `toolrig mcp add` put into its store. */
export function mcpOf({ mcp, store }: RigOptions): McpOptions | undefined {
  return mcp ?? (store === undefined ? undefined : {});
}

/** A catalog to work with while the one of the store is left as it is. */
export function catalogCopy(store: Store | undefined): MemoryCatalog {
  const copy = new MemoryCatalog();
  for (const entry of store?.catalog.list("connection") ?? []) {
    if (entry.damage !== undefined)
      throw new ToolrigError("STORE_FAILED", `MCP server ${entry.name}: ${damageText(entry)}`);
    copy.put(entry);
  }
  return copy;
}

/** What is wrong with what is kept of a connection, and how to be rid of it. */
export function damageText({ name, damage }: CatalogEntry): string {
  return `what is kept of it cannot be read (${damage}). Restore a backup, or forget it: toolrig mcp remove ${name}`;
}

/** Waits until every server has been tried once, for so long. */
export async function whenTried(mcp: NonNullable<Rig["mcp"]>, signal?: AbortSignal): Promise<void> {
  let end = () => {};
  const late = new Promise<void>((resolve) => {
    end = resolve;
  });
  const timer = setTimeout(end, WAIT_MS);
  signal?.addEventListener("abort", end, { once: true });
  await Promise.race([mcp.ready, late]);
  clearTimeout(timer);
}

/** Waits until every server has been tried once, and says of those that are not there why. */
export async function settled(mcp: Rig["mcp"], signal?: AbortSignal): Promise<void> {
  if (mcp === undefined) return;
  await whenTried(mcp, signal);
  for (const { name, state, reason, quarantined } of mcp.list()) {
    if (state === "away" || state === "connecting") note(`MCP server ${name}: ${reason ?? state}`, "warn");
    if (quarantined.length > 0)
      note(
        `MCP server ${name}: ${counted(quarantined.length, "new or changed tool")} to accept, see "toolrig mcp diff ${name}"`,
        "warn",
      );
  }
}
