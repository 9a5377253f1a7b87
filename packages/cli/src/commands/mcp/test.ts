import { type ConnectionStatus, connectMcp } from "@toolrig/mcp/client";
import { settled } from "../../config/mcp-settings.ts";
import {
  changeServers,
  type ListedServer,
  lookAtServers,
  type McpPlace,
  serverNamed,
} from "../../config/mcp-store.ts";
import { partsOf, withoutStore } from "../../config/open-rig.ts";
import { EXIT_CODE } from "../../shell/exit-code.ts";
import { cancelOnSignal } from "../../terminal/cancel-on-signal.ts";
import { note, printJson } from "../../terminal/output.ts";
import { redacted, redactedText } from "../../terminal/redaction.ts";
import { printTable, type TableRow } from "../../terminal/table.ts";
import type { McpAction } from "./action.ts";

const HEAD = ["NAME", "STATE", "ERA", "TOOLS", "SKIPPED", "WAITING", ""];

/** Connects to all servers or to one, and tells what came. What is new or changed is kept for `diff`. */
export async function test({ values, name }: McpAction): Promise<number> {
  const isKept = await lookAtServers(values, ({ store }) => store !== undefined);
  const within = isKept ? changeServers : lookAtServers;
  const statuses = await within(values, (place) => connected(place, chosen(place, name)));
  if (values.json === true) printJson(redacted(statuses));
  else printTable(HEAD, statuses, cells, { toneOf: ({ state }) => (state === "ready" ? "plain" : "warn") });
  for (const each of statuses) tell(each);
  if (statuses.length === 0) note('There are no MCP servers. "toolrig mcp add" adds one.', "dim");
  return statuses.every(({ state }) => state === "ready") ? 0 : EXIT_CODE.unavailable;
}

function chosen({ servers }: McpPlace, name: string | undefined): readonly ListedServer[] {
  return name === undefined ? servers.filter(({ enabled }) => enabled) : [serverNamed(servers, name)];
}

/** Beside the tools of the config, whose names no server can take. */
async function connected(
  { settings, store }: McpPlace,
  servers: readonly ListedServer[],
): Promise<ConnectionStatus[]> {
  const { registry } = partsOf(withoutStore(settings));
  const table = Object.fromEntries(servers.map(({ name, server }) => [name, server]));
  const mcp = connectMcp({ registry, store }, { servers: table, restore: false });
  try {
    await settled(mcp, cancelOnSignal());
    return mcp.list();
  } finally {
    await mcp.close();
  }
}

function cells({ name, state, era, tools, skipped, quarantined, reason }: ConnectionStatus): TableRow {
  const counts = [tools, skipped, quarantined].map(({ length }) => (length === 0 ? "-" : String(length)));
  return [name, state, era ?? "-", ...counts, redactedText(reason ?? "")];
}

function tell({ name, skipped, notes }: ConnectionStatus): void {
  for (const { name: tool, reason } of skipped) note(`${name}: ${tool} is skipped: ${reason}`, "dim");
  for (const each of notes) note(`${name}: ${each}`, "dim");
}
