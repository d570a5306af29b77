export {
  type CommandFile,
  commandArguments,
  expandCommand,
  isCommandName,
  parseCommand,
} from "./commands/command-file.ts";
export { COMMAND_BYTES_MAX, type CommandTexts, readCommandTexts } from "./commands/command-texts.ts";
export { type DocumentOptions, parseDocument, readDocument, type SettingsDocument } from "./document.ts";
export type { SettingEntry, SettingSource } from "./entry.ts";
export { SETTINGS_VARIABLES } from "./environment.ts";
export { SettingsError, type SettingsErrorCode } from "./error.ts";
export type { SettingsChange } from "./file-edit.ts";
export { selectHooks } from "./hooks.ts";
export { INTENT_LIMITS, type IntentLimits, openIntents, readIntents } from "./intents.ts";
export { type KeyOptions, readProfileKey } from "./keys.ts";
export { type LoadedSettings, type LoadOptions, loadSettings, userSettingsFile } from "./load.ts";
export { mcpServersIn, PROJECT_MCP_FILES, type SelectedMcpServers, selectMcpServers } from "./mcp.ts";
export { addMcpServer, removeMcpServer } from "./mcp-edit.ts";
export { modelsOf } from "./models.ts";
export { modesIn, readModes } from "./modes/read-modes.ts";
export { readPolicies, selectPolicies } from "./policies.ts";
export { parsePolicies, readPolicyFile } from "./policy-file.ts";
export { isProfileNamed, modeProfiles, type NamedProfile, selectProfile } from "./profile.ts";
export type { IgnoredSetting } from "./project.ts";
export type { ResolvedSettings } from "./resolve.ts";
export { addRule, removeRule } from "./rule-edit.ts";
export {
  McpServer,
  PROJECT_USE,
  Profile,
  type ProjectUse,
  type SettingPath,
  Settings,
  settingsJsonSchema,
} from "./schema.ts";

export { type SelectedShell, selectShell } from "./shell.ts";
export { readTextFile, SETTINGS_BYTES_MAX, type TextFileOptions } from "./text-file.ts";
export {
  isTrusted,
  PROJECT_COMMANDS,
  PROJECT_FILES,
  type ProjectFiles,
  readProjectFiles,
  trust,
  untrust,
  withProjectFile,
} from "./trust.ts";
