import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sandboxOptions } from "../adapters/isolation/sandbox-options.ts";
import { CommandSandbox } from "../adapters/sandbox/command-sandbox.ts";
import type { SandboxOptions } from "../adapters/sandbox/options.ts";
import { removeTemporary } from "../adapters/sandbox/remove-temporary.ts";
import { type SystemShell, secretNames, systemShell } from "../adapters/shell/shell.ts";
import type { EditorPort } from "../ports/editor.ts";
import type { Shell } from "../ports/shell.ts";
import { taskFolder } from "../store/task-history/task-folder.ts";
import { TerminalText, terminalText } from "../tools/terminal-text.ts";
import type { CommandOutputs } from "./command-outputs.ts";

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
  readonly workspace: string;
  readonly editor: EditorPort | undefined;
  /** The accesses of commands in a sandbox. Undefined: commands run without one. */
  readonly sandbox: SandboxOptions | undefined;
  /** Where full outputs are kept once their commands have ended. Undefined: in files of the task's folder. */
  readonly outputs: CommandOutputs | undefined;
}

/**
 * The shell of a task, created with its first command. Long outputs are written to the folder `output` of the task. An editor
 * that runs commands runs the commands of the foreground, unless they run in a sandbox.
 */
export class TaskShell implements Shell {
  readonly program: string;
  readonly #withheldEnv: readonly string[];
  readonly #parts: TaskShellParts;
  #shell: SystemShell | undefined;
  /** The temporary files of commands in a sandbox. */
  #temporary: string | undefined;

  constructor(parts: TaskShellParts, { path: program, withheldEnv }: ShellSettings = {}) {
    this.program = program ?? "/bin/sh";
    this.#withheldEnv = withheldEnv ?? [];
    this.#parts = parts;
  }

  get isContained(): boolean {
    return this.#parts.sandbox?.allowCommands === true;
  }

  run(options: Parameters<Shell["run"]>[0]): ReturnType<Shell["run"]> {
    const { taskId, editor, sandbox, outputs } = this.#parts;
    const { started, callId, ...command } = options;
    if (
      sandbox === undefined &&
      editor?.runCommand !== undefined &&
      started === undefined &&
      callId !== undefined
    ) {
      const withheldEnv = secretNames(process.env, { withheldEnv: this.#withheldEnv });
      const runCommand = editor.runCommand.bind(editor);
      return runInEditor({ runCommand }, { ...command, taskId, callId, program: this.program, withheldEnv });
    }
    this.#shell ??= this.#open();
    const ended = this.#shell.run(options);
    return outputs === undefined ? ended : ended.then((result) => outputs.keep(result));
  }

  /** Kills all processes of its commands, also in the background, and removes their temporary files. */
  close(): void {
    this.#shell?.close();
    if (this.#temporary !== undefined) removeTemporary(this.#temporary);
  }

  #open(): SystemShell {
    const { dataDir, taskId } = this.#parts;
    const artifacts = path.join(taskFolder(dataDir, taskId), "output");
    const sandbox = this.#openSandbox();
    return systemShell({
      program: this.program,
      withheldEnv: this.#withheldEnv,
      artifacts,
      ...(sandbox !== undefined && { sandbox }),
    });
  }

  #openSandbox(): CommandSandbox | undefined {
    const { dataDir, sandbox, workspace } = this.#parts;
    if (sandbox === undefined) return undefined;
    this.#temporary = mkdtempSync(path.join(tmpdir(), "signalbox-commands-"));
    return new CommandSandbox(sandboxOptions(sandbox, { dataDir, workspace }), workspace, this.#temporary);
  }
}
