import type { FileHash, GitHead } from "../machines/tool-call/file-write.ts";
import type { ChangedFile } from "./changed-file.ts";

/** Whether and how the changes of files by tools are recorded. */
export interface WriteRecording {
  /** Whether the workspace has a ledger now. */
  isOn(): Promise<boolean>;
  /** The state that git has checked out; undefined outside a repository. Never rejects. */
  gitHead(): Promise<GitHead | undefined>;
  /** Keeps the state of the workspace. Never rejects. Absent: what commands change is not recorded. */
  readonly keepState?: (() => Promise<WorkspaceState>) | undefined;
  /** The writes in the workspace while commands run. */
  readonly concurrent: ConcurrentWrites;
}

/** The state of a workspace that was kept: calls `each` with what has changed since, in the order of the paths. */
export type WorkspaceState = (each: (file: ChangedFile) => void) => Promise<void>;

/**
 * The writes of calls in a workspace while commands run in it. A command is recorded without them: each change once. If
 * commands run at the same time, the one that ends first has the changes until then.
 */
export class ConcurrentWrites {
  readonly #running = new Set<Map<string, FileHash>>();

  /** Note that a file has this content, or gets it now, by a change that a call records. */
  note(path: string, content: FileHash): void {
    for (const noted of this.#running) noted.set(path, content);
  }

  /** The newest noted content of each file, as long as `work` runs. */
  async whileNoting<T>(work: (noted: ReadonlyMap<string, FileHash>) => Promise<T>): Promise<T> {
    const noted = new Map<string, FileHash>();
    this.#running.add(noted);
    try {
      return await work(noted);
    } finally {
      this.#running.delete(noted);
    }
  }
}
