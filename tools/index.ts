export type { Browser, PageAction, PageView } from "../ports/browser.ts";
export type { Clock } from "../ports/clock.ts";
export type { CodebaseIndex, CodebaseMatch } from "../ports/codebase-index.ts";
export type { Diagnostic, EditorPort, EditorTerminal, OpenFile } from "../ports/editor.ts";
export type { EditorLimits } from "../ports/editor-limits.ts";
export type { ProblemsPort, RepositoryPort } from "../ports/repository.ts";
export type { CommandResult, Shell } from "../ports/shell.ts";
export type { Skill, Skills } from "../ports/skills.ts";
export type { SearchResult, Workspace } from "../ports/workspace.ts";
export { type BuiltinOptions, builtinTools, OPTIONAL_TOOLS } from "./builtin/builtin-tools.ts";
export type { ToolSelection } from "./builtin/selection.ts";
export { defineTool } from "./define-tool.ts";
export { ToolError } from "./error.ts";
export type { Hook, HookDecision, HookInput } from "./hook.ts";
export type { Intent, ReadIntents } from "./intents/intent.ts";
export { byRules, DEFAULT_ALLOW, type RuleOptions, type RulePolicy } from "./judge/by-rules.ts";
export { BUILTIN_MODES } from "./modes/builtin-modes.ts";
export type { Mode } from "./modes/mode.ts";
export { createModes, type Modes } from "./modes/modes.ts";
export { validateToolUse } from "./modes/validate-tool-use.ts";
export { allowCommands } from "./policy/commands.ts";
export type { PermissionExplanation, Policy, PolicyCall, PolicyFacts } from "./policy/policy.ts";
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
export type { RunPorts } from "./ports.ts";
export type { Description, Tool, ToolResult } from "./tool.ts";
