import path from "node:path";
import { type SystemShell, systemShell } from "../adapters/index.ts";
import { taskFolder } from "../store/index.ts";
import type { Shell } from "../tools/index.ts";

/** The shell of a task, created with its first command. Long outputs are kept in the folder `output` of the task. */
export class TaskShell implements Shell {
  readonly program: string;
  readonly #dataDir: string;
  readonly #taskId: string;
  #shell: SystemShell | undefined;

  /** @param program absolute path of the shell */
  constructor(dataDir: string, taskId: string, program = "/bin/sh") {
    this.program = program;
    this.#dataDir = dataDir;
    this.#taskId = taskId;
  }

  run(options: Parameters<Shell["run"]>[0]): ReturnType<Shell["run"]> {
    const artifacts = path.join(taskFolder(this.#dataDir, this.#taskId), "output");
    this.#shell ??= systemShell({ program: this.program, artifacts });
    return this.#shell.run(options);
  }

  /** Kills all processes of its commands, also in the background. */
  close(): void {
    this.#shell?.close();
  }
}
