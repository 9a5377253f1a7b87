import { isRecord } from "@toolrig/core/kit";
import type { ConnectionOptions, McpOptions } from "@toolrig/mcp";

/**
 * The MCP servers of a config, with its paths made relative to it: programs are started in its folder unless they say where.
 * What is wrong with them is said where they are connected.
 */
export function mcpNear(mcp: McpOptions, near: (path: string) => string): McpOptions {
  const { servers, tokens } = mcp;
  return {
    ...mcp,
    ...(isRecord(servers) && {
      servers: Object.fromEntries(Object.entries(servers).map(([name, each]) => [name, started(each, near)])),
    }),
    ...(typeof tokens === "string" && { tokens: near(tokens) }),
  };
}

function started(server: ConnectionOptions, near: (path: string) => string): ConnectionOptions {
  if (!isRecord(server) || typeof server.command !== "string") return server;
  const { cwd = "." } = server;
  return typeof cwd === "string" ? { ...server, cwd: near(cwd) } : server;
}
