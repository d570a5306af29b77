export { fileApprovals, type McpApprovals } from "./approvals.ts";
export type { McpPrompt } from "./connection.ts";
export {
  MCP_LIMITS,
  type McpEndpoint,
  type McpLimits,
  type McpProcess,
  type McpServerOptions,
} from "./options.ts";
export type { McpServerStatus } from "./server.ts";
export { connectMcp, type McpOptions, type McpServers } from "./servers.ts";
