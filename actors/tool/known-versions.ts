import { changedSinceRead, currentVersion, type FileVersion, type Workspace } from "../../tools/index.ts";

/** Maximum number of files whose versions a task keeps: the least recently used are forgotten. */
const KNOWN_FILES_MAX = 1_000;

type Files = readonly string[] | undefined;

/**
 * The versions of files as a task last read or wrote them, by their real paths. A task in a workspace with intents writes
 * no file that has another version by then. A task that is opened again knows none.
 */
export class KnownVersions {
  readonly #versions = new Map<string, FileVersion>();
  readonly #workspace: Pick<Workspace, "resolve" | "read">;
  readonly #maxFiles: number;

  /** @param maxFiles maximum number of files. Default 1,000 */
  constructor(workspace: Pick<Workspace, "resolve" | "read">, maxFiles = KNOWN_FILES_MAX) {
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

  /** @throws ToolError `changed` for a file that has changed since the task knew it */
  async assertCurrent(files: Files): Promise<void> {
    const changed = await this.changedOf(files);
    if (changed !== undefined) throw changedSinceRead(changed);
  }

  /** Run a call that reads these files. The task knows them as they were before it. */
  async whileReading<T>(files: Files, run: () => Promise<T>): Promise<T> {
    const before = await this.#read(files);
    const result = await run();
    this.#keep(before);
    return result;
  }

  /** A call has written these files. */
  async wrote(files: Files): Promise<void> {
    this.#keep(await this.#read(files));
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
