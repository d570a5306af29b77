export type { Artifacts } from "../ports/artifacts.ts";
export type { Browser, PageAccess, PageAction, PageView, ViewportSize } from "../ports/browser.ts";
export type { CodebaseIndex, CodebaseMatch } from "../ports/codebase-index.ts";
export type { CommandReport, Commands, CommandWait } from "../ports/commands.ts";
export type {
  Diagnostic,
  EditorPort,
  EditorSource,
  EditorTerminal,
  EditorWorkspace,
  OpenFile,
  TerminalCommand,
} from "../ports/editor.ts";
export { EDITOR_LIMITS, type EditorLimits } from "../ports/editor-limits.ts";
export type { CommandResult, LeftProcess, Shell } from "../ports/shell.ts";
export type { InvalidSkill, Skill, SkillContent, SkillList, Skills } from "../ports/skills.ts";
export type {
  ChangeOptions,
  FileMatches,
  FileVersion,
  GlobOptions,
  IncompleteFile,
  PathOptions,
  ResolvedPath,
  RuleFile,
  SearchOptions,
  SearchResult,
  TextEncoding,
  Workspace,
  WriteOptions,
  WriteResult,
} from "../ports/workspace.ts";
export { argumentKeys } from "./argument-keys.ts";
export { completionWith } from "./builtin/attempt-completion.ts";
export { type BuiltinOptions, builtinTools, OPTIONAL_TOOLS, toolNameError } from "./builtin/builtin-tools.ts";
export { currentVersion } from "./builtin/file-before.ts";
export { subtaskOf } from "./builtin/new-task.ts";
export { selectActiveIntent } from "./builtin/select-active-intent.ts";
export type { ToolSelection } from "./builtin/selection.ts";
export { modeOf } from "./builtin/switch-mode.ts";
export { editedTodos, parseTodos } from "./builtin/update-todo-list.ts";
export type { ChangedFile, FileContent } from "./changed-file.ts";
export { isPosixShell } from "./command-line/programs.ts";
export { defineTool } from "./define-tool.ts";
export { boundedDescriptor, PARTIAL_MAX_BYTES } from "./descriptor.ts";
export { changeOf } from "./diff/unified.ts";
export { formatError, messageOf, ToolError, type ToolErrorCode } from "./error.ts";
export { formatFile } from "./file-content.ts";
export { changedSinceRead, fileChanged, fileVersion, NO_FILE } from "./file-version.ts";
export { finalCall } from "./final-call.ts";
export {
  type CallHookInput,
  HOOK_POINTS,
  type Hook,
  type HookDecision,
  type HookedResult,
  type HookInput,
  machinePoints,
  type RequestHookInput,
  type RestHookInput,
  type ResultHookInput,
  type WriteHookInput,
} from "./hook.ts";
export { parseHookDecision } from "./hook-decision.ts";
export { assertHooks, hookNameError, hooksCall, hookToolError, type NamedCall } from "./hook-list.ts";
export { type CheckedImage, checkImage, imageType } from "./image.ts";
export {
  activeIds,
  activeIntent,
  INTENT_STATUSES,
  INTENTS_FILE,
  type Intent,
  type IntentStatus,
  isActiveIntent,
  type OpenIntents,
  type ReadIntents,
} from "./intents/intent.ts";
export { formatScope, pathOutside, scopeRule } from "./intents/scope.ts";
export { DEFAULT_ALLOW, type PermissionOptions, type Permissions, permissions } from "./judge/permissions.ts";
export { BUILTIN_MODES } from "./modes/builtin-modes.ts";
export type { FilePattern, Mode, ModeGroup, ModePermission } from "./modes/mode.ts";
export { createModes, type Modes } from "./modes/modes.ts";
export { type ToolUse, validateToolUse } from "./modes/validate-tool-use.ts";
export { allowCommands } from "./policy/commands.ts";
export { globError } from "./policy/path-glob.ts";
export { type PermissionSource, ruleError } from "./policy/permission-rule.ts";
export type {
  PermissionExplanation,
  PermissionMatch,
  Policy,
  PolicyCall,
  PolicyFacts,
} from "./policy/policy.ts";
export {
  allowEverything,
  allowReadsInside,
  allowSubtasks,
  allowTodoList,
  allowWritesInside,
  askAPerson,
  denyEverything,
  firstOf,
} from "./policy/rules.ts";
export { suggestedRules } from "./policy/suggested-rules.ts";
export type { RunPorts, TraceContext } from "./ports.ts";
export { type RecordedWrites, recordWrites } from "./recorded-writes.ts";
export { createRegistry, type Registry } from "./registry.ts";
export { TerminalText, terminalText } from "./terminal-text.ts";
export {
  characterBoundaryAfter,
  characterBoundaryBefore,
  cutEnd,
  cutMiddle,
} from "./text.ts";
export {
  decodeForDisplay,
  decodeText,
  EXPECTED_TEXT,
  encodeText,
  encodingOf,
  withoutMark,
} from "./text-encoding.ts";
export type { AmendedCall, Description, PreparedCall, Tool, ToolGroup, ToolResult } from "./tool.ts";
export { privateHostError } from "./web/access.ts";
export { ConcurrentWrites, type WorkspaceState, type WriteRecording } from "./write-recording.ts";
