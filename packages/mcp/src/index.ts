export {
  type ConnectionStatus,
  connectMcp,
  type Mcp,
  type McpHost,
  type McpOptions,
} from "./client/connect-mcp.ts";
export type { AuthOptions, ConnectionOptions } from "./client/connection-options.ts";
export { mcpServer, type ServedMcp } from "./server/mcp-server.ts";
export type { McpResource, McpServerOptions, McpToken, McpView } from "./server/options.ts";
export type { ServedRig } from "./server/served-rig.ts";
export { askModel, askRoots } from "./wire/client-question.ts";
