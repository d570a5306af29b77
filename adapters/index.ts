export type { JsonValue, LanguageModel, ProviderOptions } from "./ai-sdk/language-model.ts";
export { type LanguageModelOptions, languageModel } from "./ai-sdk/model.ts";
export type { CacheTtl } from "./anthropic/cache.ts";
export { type AnthropicModel, anthropic } from "./anthropic/model.ts";
export type { AnthropicOptions } from "./anthropic/options.ts";
export { DEFAULT_MODEL, priceOf } from "./anthropic/prices.ts";
export type { Effort } from "./anthropic/request.ts";
export type { Thinking, ThinkingDisplay } from "./anthropic/thinking.ts";
export type { ServerTool, ToolOptions, ToolSelection } from "./anthropic/tools.ts";
export { type BrowserOptions, systemBrowser } from "./browser/browser.ts";
export {
  type ChangedFiles,
  type ChangesSince,
  type CheckpointDiff,
  type Checkpoints,
  type CheckpointsOff,
  type CheckpointsOptions,
  openCheckpoints,
  type RestoredCheckpoint,
  type RestoreOptions,
  type SavedCheckpoint,
} from "./checkpoints/checkpoints.ts";
export type { SkippedFile } from "./checkpoints/commit.ts";
export type { CheckpointErrorCode, CheckpointFailure } from "./checkpoints/error.ts";
export { type CheckpointLimits, DEFAULT_CHECKPOINT_LIMITS } from "./checkpoints/limits.ts";
export { checkpointsFolder, NEVER_SAVED } from "./checkpoints/store.ts";
export { type CommandHookOptions, commandHook } from "./hooks/command-hook.ts";
export { openSkills, type SkillLimits, type SkillOptions } from "./instructions/skills.ts";
export { readUserRules } from "./instructions/user-rules.ts";
export { fileApprovals, type McpApprovals } from "./mcp/approvals.ts";
export type { McpPrompt } from "./mcp/connection.ts";
export { loginMcp, type McpLoginOptions } from "./mcp/login.ts";
export { McpLoginError } from "./mcp/login-error.ts";
export { fileLogins, type McpLogin, type McpLoginKey, type McpLogins } from "./mcp/logins.ts";
export {
  MCP_LIMITS,
  type McpEndpoint,
  type McpLimits,
  type McpOAuth,
  type McpProcess,
  type McpServerOptions,
} from "./mcp/options.ts";
export type { McpServerStatus } from "./mcp/server.ts";
export { connectMcp, type McpOptions, type McpServers } from "./mcp/servers.ts";
export type { ModelFacts, ModelTable } from "./models/facts.ts";
export { costOf, type Price, type PriceTable } from "./models/price.ts";
export { PUBLIC_API } from "./models/provider.ts";
export { MODELS, type ProviderName } from "./models/table.ts";
export { google } from "./providers/google.ts";
export type { ModelName } from "./providers/named-model.ts";
export { openai } from "./providers/openai.ts";
export { openAICompatible } from "./providers/openai-compatible.ts";
export type { ProviderModelOptions, ReasoningModelOptions } from "./providers/options.ts";
export { type GitHeadOptions, gitHead } from "./repository/git-head.ts";
export { gitRepository, type RepositoryOptions } from "./repository/git-repository.ts";
export { type ShellOptions, type SystemShell, systemShell } from "./shell/shell.ts";
export { findProjectRules, type RuleLimits } from "./workspace/project-rules.ts";
export { openWorkspace, type WorkspaceOptions } from "./workspace/workspace.ts";
export { type XmlToolsOptions, xmlTools } from "./xml-tools/model.ts";
