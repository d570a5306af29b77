import type { Task } from "../../runtime/task/task.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import type { Modes } from "../../tools/modes/modes.ts";
import type { McpState, ModelProfile, RunCommands, RunRules } from "../run/settings.ts";
import type { Style } from "../show/style.ts";
import type { Choices } from "./input/choice-menu.ts";
import type { NextTask } from "./next-task.ts";

/** A command of the terminal. An error that it throws is shown. */
export interface SlashCommand {
  readonly usage: string;
  readonly about: string;
  run(context: SlashContext, argument: string): void | Promise<void>;
  /** Arguments that Tab completes. Default: none. */
  candidates?(context: SlashContext): readonly string[] | Promise<readonly string[]>;
}

/** The parts of the run that the commands need. */
export interface SlashContext {
  /** The task in focus: the one that is run, or its subtask. */
  task(): Task;
  /** The task that is run. */
  readonly root: Task;
  /** The tasks of its subtask tree that were opened in this run, the task itself first. */
  tasks(): readonly Task[];
  /** Choose the subtask in focus. The root: none, so that the focus follows the asks and the work. */
  chooseTask(task: Task): void;
  /** Whether the task is the root, or a subtask that the root waits for. */
  isAwaited(task: Task): boolean;
  /** The time, in milliseconds since 1970. */
  readonly now: () => number;
  readonly modes: Modes;
  /** The profiles of the settings. */
  readonly profiles: readonly ModelProfile[];
  /** The commands that send a prompt. */
  readonly commands: RunCommands;
  /** The MCP servers now. */
  mcpStates(): readonly McpState[];
  /** The rules besides the rules of the session. */
  readonly rules: RunRules;
  /** Data directory: journals, task history, checkpoints. */
  readonly dataDir: string;
  /** The tasks on disk. Undefined for an ephemeral run. */
  readonly history: TaskHistory | undefined;
  readonly style: Style;
  /** Show a remark. */
  say(line: string): void;
  /** Show a line as it is. */
  show(line: string): void;
  /** Ask the user. Resolves with the line that answers; with an empty one where the input ends. */
  ask(question: string, choices?: Choices): Promise<string>;
  /** Whether a menu shows the choices of a question. */
  readonly isLive: boolean;
  /** Show a text and send it as if the user had typed it as a message. It answers no question of the task. */
  send(text: string): void;
  /** Leave the task for another one, which the run continues with. */
  changeTo(next: NextTask): void;
  cancel(): void;
  quit(): void;
}
