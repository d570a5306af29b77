import path from "node:path";
import { type SystemShell, secretNames, systemShell } from "../adapters/shell/shell.ts";
import type { EditorPort } from "../ports/editor.ts";
import type { Shell } from "../ports/shell.ts";
import { taskFolder } from "../store/task-history/task-folder.ts";
import { TerminalText, terminalText } from "../tools/terminal-text.ts";

/** Run a command in an editor, which gives its output as it came. */
async function runInEditor(
  { runCommand }: Required<Pick<EditorPort, "runCommand">>,
  command: Parameters<typeof runCommand>[0],
): ReturnType<Shell["run"]> {
  const terminal = new TerminalText();
  const show = (text: string): void => {
    if (text !== "") command.output(text);
  };
  const result = await runCommand({ ...command, output: (text) => show(terminal.add(text)) });
  show(terminal.end());
  return { ...result, output: terminalText(result.output) };
}

/** The shell that runs the commands of a task. */
export interface ShellSettings {
  /** Its absolute path; it takes a command line after `-c`. Named in the system prompt. Default `/bin/sh`. */
  readonly path?: string;
  /** Environment variables that commands don't get, besides those whose names look secret. Default: none. */
  readonly withheldEnv?: readonly string[];
}

/** Where a task is, and what runs its commands in place of processes of this program. */
export interface TaskShellParts {
  readonly dataDir: string;
  readonly taskId: string;
  readonly editor: EditorPort | undefined;
}

/**
 * The shell of a task, created with its first command. Long outputs are kept in the folder `output` of the task. An editor
 * that runs commands runs the commands of the foreground.
 */
export class TaskShell implements Shell {
  readonly program: string;
  readonly #withheldEnv: readonly string[];
  readonly #parts: TaskShellParts;
  #shell: SystemShell | undefined;

  constructor(parts: TaskShellParts, { path: program, withheldEnv }: ShellSettings = {}) {
    this.program = program ?? "/bin/sh";
    this.#withheldEnv = withheldEnv ?? [];
    this.#parts = parts;
  }

  run(options: Parameters<Shell["run"]>[0]): ReturnType<Shell["run"]> {
    const { dataDir, taskId, editor } = this.#parts;
    const { started, callId, ...command } = options;
    if (editor?.runCommand !== undefined && started === undefined && callId !== undefined) {
      const withheldEnv = secretNames(process.env, { withheldEnv: this.#withheldEnv });
      const runCommand = editor.runCommand.bind(editor);
      return runInEditor({ runCommand }, { ...command, taskId, callId, program: this.program, withheldEnv });
    }
    const artifacts = path.join(taskFolder(dataDir, taskId), "output");
    this.#shell ??= systemShell({ program: this.program, withheldEnv: this.#withheldEnv, artifacts });
    return this.#shell.run(options);
  }

  /** Kills all processes of its commands, also in the background. */
  close(): void {
    this.#shell?.close();
  }
}
