import { createRegistry } from "../registry.ts";
import type { Tool } from "../tool.ts";
import { applyDiff } from "./apply-diff.ts";
import { applyPatch } from "./apply-patch.ts";
import { askFollowupQuestion } from "./ask-followup-question.ts";
import { attemptCompletion } from "./attempt-completion.ts";
import { type BrowserActionOptions, browserAction } from "./browser-action.ts";
import { cancelSubtask } from "./cancel-subtask.ts";
import { cancelWakeUp } from "./cancel-wakeup.ts";
import { codebaseSearch } from "./codebase-search.ts";
import { type CommandOutputOptions, commandOutput } from "./command-output.ts";
import { editFile } from "./edit-file.ts";
import { type CommandOptions, executeCommand } from "./execute-command.ts";
import { glob } from "./glob.ts";
import { listFiles } from "./list-files.ts";
import { declineSubtask, mergeSubtask } from "./merge-subtask.ts";
import { messageSubtask } from "./message-subtask.ts";
import { newTask } from "./new-task.ts";
import { type ArtifactOptions, readArtifact } from "./read-artifact.ts";
import { readFile } from "./read-file.ts";
import { scheduleWakeUp } from "./schedule-wakeup.ts";
import { searchFiles } from "./search-files.ts";
import { expectedTool, type SelectableTools, selectTools, type ToolSelection } from "./selection.ts";
import { skill } from "./skill.ts";
import { stopCommand } from "./stop-command.ts";
import { subtaskState } from "./subtask-state.ts";
import { switchMode } from "./switch-mode.ts";
import { updateTodoList } from "./update-todo-list.ts";
import { waitForSubtasks } from "./wait-for-subtasks.ts";
import { type WebFetchOptions, webFetch } from "./web-fetch.ts";
import { writeToFile } from "./write-to-file.ts";

/** Options of the built-in tools. */
export interface BuiltinOptions extends ToolSelection {
  readonly command?: CommandOptions;
  readonly commandOutput?: CommandOutputOptions;
  readonly artifact?: ArtifactOptions;
  readonly webFetch?: WebFetchOptions;
  readonly browser?: BrowserActionOptions;
}

/**
 * The built-in tools: read_file, list_files, glob, search_files, write_to_file, apply_diff, execute_command, command_output,
 * stop_command, web_fetch, ask_followup_question, attempt_completion, new_task, switch_mode, update_todo_list; skill, which only a task with skills
 * is offered; read_artifact, which only a task with the limit artifactChars is offered; codebase_search, which only a task
 * with an index is offered; merge_subtask and decline_subtask, which only a task whose subtasks have files of their own is
 * offered; and wait_for_subtasks, cancel_subtask, message_subtask and subtask_state, which only a task whose subtasks may work
 * in the background is offered. `include` adds edit_file, apply_patch, browser_action, which only a task with a browser is
 * offered, and schedule_wakeup and cancel_wakeup, which a subtask is not offered.
 *
 * @throws ToolError `NOT_FOUND` if no tool has a name of `include` or `exclude`
 * @example
 * ```ts
 * import { builtinTools } from "signalbox/tools";
 * const tools = builtinTools({ include: ["apply_patch"], exclude: ["apply_diff"] });
 * ```
 */
export function builtinTools(options: BuiltinOptions = {}): readonly Tool[] {
  return selectTools(selectableTools(options), options);
}

/** The built-in tools that a task has only if they are included. */
export const OPTIONAL_TOOLS: readonly string[] = selectableTools({}).optional.map(({ name }) => name);

/** The error of a name that no built-in tool has; undefined for a valid one. */
export function toolNameError(name: string): string | undefined {
  return known.find(name) === undefined ? `expected ${expectedTool(known)}` : undefined;
}

function selectableTools(options: BuiltinOptions): SelectableTools {
  return {
    standard: [
      readFile,
      listFiles,
      glob,
      searchFiles,
      codebaseSearch,
      writeToFile,
      applyDiff,
      executeCommand(options.command),
      commandOutput(options.commandOutput),
      stopCommand,
      webFetch(options.webFetch),
      askFollowupQuestion,
      attemptCompletion,
      newTask,
      mergeSubtask,
      declineSubtask,
      waitForSubtasks,
      cancelSubtask,
      messageSubtask,
      subtaskState,
      switchMode,
      updateTodoList,
      skill,
      readArtifact(options.artifact),
    ],
    optional: [editFile, applyPatch, browserAction(options.browser), scheduleWakeUp, cancelWakeUp],
  };
}

const known = createRegistry(Object.values(selectableTools({})).flat());
