import path from "node:path";
import { type SystemShell, systemShell } from "../adapters/index.ts";
import { taskFolder } from "../store/index.ts";
import type { Shell } from "../tools/index.ts";

/** The shell that runs the commands of a task. */
export interface ShellSettings {
  /** Its absolute path; it takes a command line after `-c`. Named in the system prompt. Default `/bin/sh`. */
  readonly path?: string;
  /** Environment variables that commands don't get, besides those whose names look secret. Default: none. */
  readonly withheldEnv?: readonly string[];
}

/** The shell of a task, created with its first command. Long outputs are kept in the folder `output` of the task. */
export class TaskShell implements Shell {
  readonly program: string;
  readonly #withheldEnv: readonly string[];
  readonly #dataDir: string;
  readonly #taskId: string;
  #shell: SystemShell | undefined;

  constructor(dataDir: string, taskId: string, { path: program, withheldEnv }: ShellSettings = {}) {
    this.program = program ?? "/bin/sh";
    this.#withheldEnv = withheldEnv ?? [];
    this.#dataDir = dataDir;
    this.#taskId = taskId;
  }

  run(options: Parameters<Shell["run"]>[0]): ReturnType<Shell["run"]> {
    const artifacts = path.join(taskFolder(this.#dataDir, this.#taskId), "output");
    this.#shell ??= systemShell({ program: this.program, withheldEnv: this.#withheldEnv, artifacts });
    return this.#shell.run(options);
  }

  /** Kills all processes of its commands, also in the background. */
  close(): void {
    this.#shell?.close();
  }
}
