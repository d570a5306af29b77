import type { Tool } from "../tool.ts";
import { applyDiff } from "./apply-diff.ts";
import { askFollowupQuestion } from "./ask-followup-question.ts";
import { attemptCompletion } from "./attempt-completion.ts";
import { type CommandOutputOptions, commandOutput } from "./command-output.ts";
import { type CommandOptions, executeCommand } from "./execute-command.ts";
import { listFiles } from "./list-files.ts";
import { newTask } from "./new-task.ts";
import { type ArtifactOptions, readArtifact } from "./read-artifact.ts";
import { readFile } from "./read-file.ts";
import { searchFiles } from "./search-files.ts";
import { skill } from "./skill.ts";
import { stopCommand } from "./stop-command.ts";
import { switchMode } from "./switch-mode.ts";
import { updateTodoList } from "./update-todo-list.ts";
import { type WebFetchOptions, webFetch } from "./web-fetch.ts";
import { writeToFile } from "./write-to-file.ts";

/** Options of the built-in tools. */
export interface BuiltinOptions {
  readonly command?: CommandOptions;
  readonly commandOutput?: CommandOutputOptions;
  readonly artifact?: ArtifactOptions;
  readonly webFetch?: WebFetchOptions;
}

/**
 * The built-in tools: read_file, list_files, search_files, write_to_file, apply_diff, execute_command, command_output,
 * stop_command, web_fetch, ask_followup_question, attempt_completion, new_task, switch_mode, update_todo_list; skill, which only a task with skills is offered; and
 * read_artifact, which only a task with the limit artifactChars is offered.
 */
export function builtinTools(options: BuiltinOptions = {}): readonly Tool[] {
  return [
    readFile,
    listFiles,
    searchFiles,
    writeToFile,
    applyDiff,
    executeCommand(options.command),
    commandOutput(options.commandOutput),
    stopCommand,
    webFetch(options.webFetch),
    askFollowupQuestion,
    attemptCompletion,
    newTask,
    switchMode,
    updateTodoList,
    skill,
    readArtifact(options.artifact),
  ];
}
