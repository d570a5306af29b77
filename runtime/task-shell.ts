import path from "node:path";
import { type SystemShell, systemShell } from "../adapters/index.ts";
import { taskFolder } from "../store/index.ts";
import type { Shell } from "../tools/index.ts";

/** The shell of a task, created with its first command. Long outputs are kept in the folder `output` of the task. */
export class TaskShell implements Shell {
  readonly #dataDir: string;
  readonly #taskId: string;
  #shell: SystemShell | undefined;

  constructor(dataDir: string, taskId: string) {
    this.#dataDir = dataDir;
    this.#taskId = taskId;
  }

  run(options: Parameters<Shell["run"]>[0]): ReturnType<Shell["run"]> {
    this.#shell ??= systemShell({ artifacts: path.join(taskFolder(this.#dataDir, this.#taskId), "output") });
    return this.#shell.run(options);
  }

  /** Kills all processes of its commands, also in the background. */
  close(): void {
    this.#shell?.close();
  }
}
