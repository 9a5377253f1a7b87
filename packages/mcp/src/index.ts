export { type ServedMcp, mcpServer } from "./server/mcp-server.ts";
export type { McpResource, McpServerOptions, McpToken, McpView } from "./server/options.ts";
export type { ServedRig } from "./server/served-rig.ts";
export { askModel, askRoots } from "./wire/client-question.ts";
