import { shownTarget } from "@toolrig/mcp/client";
import { type ListedServer, lookAtServers } from "../../config/mcp-store.ts";
import { note, printJson } from "../../terminal/output.ts";
import { redactedText } from "../../terminal/redaction.ts";
import { printTable, type TableRow } from "../../terminal/table.ts";
import type { McpAction } from "./action.ts";

const HEAD = ["NAME", "FROM", "ACCEPTED", "WAITING", "TARGET"];

/** What is known of the servers, without connecting to any. */
export function list({ values }: McpAction): Promise<number> {
  return lookAtServers(values, ({ servers }) => {
    if (values.json === true) printJson(servers.map(described));
    else
      printTable(HEAD, servers, cells, {
        toneOf: ({ kept }) => (kept.quarantined?.length ? "warn" : "plain"),
      });
    if (servers.length === 0) note('There are no MCP servers. "toolrig mcp add" adds one.', "dim");
    return 0;
  });
}

function described({ name, from, enabled, server, kept }: ListedServer) {
  const { pins, quarantined = [] } = kept;
  return {
    name,
    from,
    enabled,
    target: redactedText(shownTarget(server)),
    accepted: pins === undefined ? null : Object.keys(pins),
    waiting: quarantined.map(({ name: tool, reason }) => ({ tool, reason })),
  };
}

function cells(listed: ListedServer): TableRow {
  const { name, from, enabled, kept } = listed;
  const { pins, quarantined = [] } = kept;
  return [
    name,
    enabled ? from : `${from}, off`,
    pins === undefined ? "-" : String(Object.keys(pins).length),
    quarantined.length === 0 ? "-" : String(quarantined.length),
    redactedText(shownTarget(listed.server)),
  ];
}
