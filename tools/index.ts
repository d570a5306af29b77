export type {
  Artifacts,
  Browser,
  ChangeOptions,
  CodebaseIndex,
  CodebaseMatch,
  CommandReport,
  CommandResult,
  Commands,
  CommandWait,
  Diagnostic,
  EditorLimits,
  EditorPort,
  EditorSource,
  EditorTerminal,
  EditorWorkspace,
  FileMatches,
  FileVersion,
  GlobOptions,
  IncompleteFile,
  InvalidSkill,
  LeftProcess,
  OpenFile,
  PageAccess,
  PageAction,
  PageView,
  PathOptions,
  ResolvedPath,
  RuleFile,
  SearchOptions,
  SearchResult,
  Shell,
  Skill,
  SkillContent,
  SkillList,
  Skills,
  TerminalCommand,
  TextEncoding,
  ViewportSize,
  Workspace,
  WriteOptions,
  WriteResult,
} from "../ports/index.ts";
export { argumentKeys } from "./argument-keys.ts";
export { completionWith } from "./builtin/attempt-completion.ts";
export { currentVersion } from "./builtin/file-before.ts";
export { type BuiltinOptions, builtinTools, OPTIONAL_TOOLS, toolNameError } from "./builtin/index.ts";
export { subtaskOf } from "./builtin/new-task.ts";
export { selectActiveIntent } from "./builtin/select-active-intent.ts";
export type { ToolSelection } from "./builtin/selection.ts";
export { modeOf } from "./builtin/switch-mode.ts";
export { editedTodos, parseTodos } from "./builtin/update-todo-list.ts";
export type { ChangedFile, FileContent } from "./changed-file.ts";
export { isPosixShell } from "./command-line/index.ts";
export { defineTool } from "./define-tool.ts";
export { boundedDescriptor, PARTIAL_MAX_BYTES } from "./descriptor.ts";
export { changeOf } from "./diff/unified.ts";
export { EDITOR_LIMITS } from "./editor-limits.ts";
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
export * from "./intents/index.ts";
export { DEFAULT_ALLOW, type PermissionOptions, type Permissions, permissions } from "./judge/permissions.ts";
export * from "./modes/index.ts";
export * from "./policy/index.ts";
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
export { privateHostError } from "./web/index.ts";
export { ConcurrentWrites, type WorkspaceState, type WriteRecording } from "./write-recording.ts";
