export { fileApprovals, type McpApprovals } from "./approvals.ts";
export type { McpPrompt } from "./connection.ts";
export { loginMcp, type McpLoginOptions } from "./login.ts";
export { McpLoginError } from "./login-error.ts";
export { fileLogins, type McpLogin, type McpLoginKey, type McpLogins } from "./logins.ts";
export {
  MCP_LIMITS,
  type McpEndpoint,
  type McpLimits,
  type McpOAuth,
  type McpProcess,
  type McpServerOptions,
} from "./options.ts";
export type { McpServerStatus } from "./server.ts";
export { connectMcp, type McpOptions, type McpServers } from "./servers.ts";
