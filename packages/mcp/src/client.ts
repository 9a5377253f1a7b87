/** The half that connects to servers, without the one that serves: the MCP SDK loads with the first connection. */

export {
  type ConnectionStatus,
  connectMcp,
  type Mcp,
  type McpHost,
  type McpOptions,
} from "./client/connect-mcp.ts";
export {
  type AuthOptions,
  type ConnectionOptions,
  checkConnection,
  shownTarget,
} from "./client/connection-options.ts";
export { mcpTools } from "./client/mcp-tools.ts";
export { changeLines, changesOf, reviewOf, type ToolChange } from "./defence/changes.ts";
export type { ForeignDefinition } from "./defence/definition.ts";
export type { Limits } from "./defence/limits.ts";
export type { Notification } from "./defence/notifications.ts";
export { accept, type Pin, type PinRecord, type Pins, type Quarantined } from "./defence/pins.ts";
