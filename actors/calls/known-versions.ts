import type { FileVersion, Workspace } from "../../ports/workspace.ts";
import { currentVersion } from "../../tools/builtin/file-before.ts";
import { changedSinceRead } from "../../tools/file-version.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { FileAccess, FileChanges } from "./roles.ts";

/** Maximum number of files whose versions a task keeps: the least recently used are forgotten. */
const KNOWN_FILES_MAX = 1_000;

type Files = readonly string[] | undefined;

/**
 * The versions of files as a task last read or wrote them, by their real paths. A task in a workspace with intents writes
 * no file that has another version by then. A task that is opened again knows none.
 */
export class KnownVersions implements FileAccess, FileChanges {
  /** The newest call that writes and has not ended, by the real path of its workspace. */
  static readonly #writing = new Map<string, Promise<void>>();
  readonly #versions = new Map<string, FileVersion>();
  readonly #workspace: Pick<Workspace, "root" | "resolve" | "read">;
  readonly #maxFiles: number;

  /** @param maxFiles maximum number of files. Default 1,000 */
  constructor(workspace: Pick<Workspace, "root" | "resolve" | "read">, maxFiles = KNOWN_FILES_MAX) {
    this.#workspace = workspace;
    this.#maxFiles = maxFiles;
  }

  /** The first of these files that has changed since the task knew it; undefined if none has. */
  async changedOf(files: Files): Promise<string | undefined> {
    for (const file of files ?? []) {
      const { real } = await this.#workspace.resolve(file);
      const known = this.#versions.get(real);
      if (known !== undefined && (await currentVersion(this.#workspace, file)) !== known) return file;
    }
    return undefined;
  }

  /** Run a call that reads these files. The task knows them as they were before it. */
  async whileReading<T>(files: Files, run: () => Promise<T>): Promise<T> {
    const before = await this.#read(files);
    const result = await run();
    this.#keep(before);
    return result;
  }

  /**
   * Run a call that writes these files, if none has changed since the task knew it. Such calls of all tasks of this process
   * in a workspace run one after the other: none writes between the comparison and the write of another.
   *
   * @throws ToolError `CHANGED`
   */
  whileWriting(files: Files, run: () => Promise<ToolResult>): Promise<ToolResult> {
    const writing = KnownVersions.#writing;
    const { root } = this.#workspace;
    const result = (writing.get(root) ?? Promise.resolve()).then(() => this.#write(files, run));
    const end = (): void => {
      if (writing.get(root) === ended) writing.delete(root);
    };
    const ended = result.then(end, end);
    writing.set(root, ended);
    return result;
  }

  async #write(files: Files, run: () => Promise<ToolResult>): Promise<ToolResult> {
    const changed = await this.changedOf(files);
    if (changed !== undefined) throw changedSinceRead(changed);
    const result = await run();
    if (result.failed !== true) this.#keep(await this.#read(files));
    return result;
  }

  async #read(files: Files): Promise<readonly (readonly [real: string, version: FileVersion])[]> {
    const versions = await Promise.all(
      (files ?? []).map(async (file) => {
        const { real } = await this.#workspace.resolve(file);
        return [real, await currentVersion(this.#workspace, file)] as const;
      }),
    );
    return versions.flatMap(([real, version]) => (version === undefined ? [] : [[real, version] as const]));
  }

  #keep(versions: readonly (readonly [real: string, version: FileVersion])[]): void {
    for (const [real, version] of versions) {
      this.#versions.delete(real);
      this.#versions.set(real, version);
    }
    for (const real of this.#versions.keys()) {
      if (this.#versions.size <= this.#maxFiles) break;
      this.#versions.delete(real);
    }
  }
}
