import { mkdir } from "node:fs/promises";
import path from "node:path";
import { openWorkspace } from "../adapters/workspace/workspace.ts";
import type { Clock } from "../ports/clock.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { TaskOptions } from "./options.ts";

export interface WorkspacesOptions {
  readonly clock: Clock;
  readonly dataDir: string;
}

/** The workspaces of a host. The tasks of a folder share one, unless an editor has the folder open. */
export class Workspaces {
  readonly #options: WorkspacesOptions;
  readonly #byRoot = new Map<string, Workspace>();

  constructor(options: WorkspacesOptions) {
    this.#options = options;
  }

  /** The workspace of a task. @throws ToolError if it is no folder */
  async open(given: TaskOptions["workspace"]): Promise<Workspace> {
    const { clock } = this.#options;
    const found = await openWorkspace(given === false ? await this.#emptyFolder() : given, { clock });
    // The same folder has other texts in an editor.
    if (typeof given === "object") return found;
    const workspace = this.#byRoot.get(found.root) ?? found;
    this.#byRoot.set(found.root, workspace);
    return workspace;
  }

  /** The folder of tasks without a workspace. Nothing is written to it, and no request names it. */
  async #emptyFolder(): Promise<string> {
    const folder = path.join(this.#options.dataDir, "no-workspace");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }
}
