export type { Artifacts } from "./artifacts.ts";
export type {
  AddressLookup,
  Browser,
  HostAddress,
  PageAccess,
  PageAction,
  PageView,
  ViewportSize,
} from "./browser.ts";
export type { Clock } from "./clock.ts";
export type { CodebaseIndex, CodebaseMatch } from "./codebase-index.ts";
export type { CommandReport, Commands, CommandWait } from "./commands.ts";
export type {
  Diagnostic,
  EditorLimits,
  EditorPort,
  EditorSource,
  EditorTerminal,
  EditorWorkspace,
  OpenFile,
  TerminalCommand,
} from "./editor.ts";
export type { AppendOptions, JournalDriver, PassiveStorage } from "./journal.ts";
export type { ChatModel, ExtraFields, ModelEvent, ModelRequest, ModelTool } from "./model.ts";
export type { ProblemsPort, RepositoryPort, RepositoryRead } from "./repository.ts";
export type { CommandResult, LeftProcess, Shell } from "./shell.ts";
export type { InvalidSkill, Skill, SkillContent, SkillList, Skills } from "./skills.ts";
export type { SubtaskPort, SubtaskUnavailable } from "./subtasks.ts";
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
} from "./workspace.ts";
