import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemClock } from "../../../actors/protocol/edge.ts";
import { type IsolatedTask, Isolation } from "../../../adapters/isolation/isolation.ts";
import type { IsolationLimits } from "../../../adapters/isolation/limits.ts";
import type { MergeLedger } from "../../../adapters/isolation/merged-file.ts";
import type { IsolationRecord } from "../../../adapters/isolation/record.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { IsolatedFiles } from "../../../machines/conversation/isolated-files.ts";
import type { ConflictChoice, MergeResult } from "../../../ports/subtask-files.ts";
import { WorkspaceMerges } from "../../../runtime/subtasks/workspace-merges.ts";
import { fileJournal } from "../../../store/index.ts";
import { taskFolder } from "../../../store/task-history/task-folder.ts";

export const GIT_ENV = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@localhost",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@localhost",
};

/** Run the git of a user. */
export const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "init.defaultBranch=main", ...args], { cwd, env: GIT_ENV, encoding: "utf8" });

/** A folder of files. */
export class Files {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }

  at = (name: string): string => path.join(this.dir, name);
  has = (name: string): boolean => existsSync(this.at(name));
  read = (name: string): string => readFileSync(this.at(name), "utf8");
  bytes = (name: string): Buffer => readFileSync(this.at(name));
  isExecutable = (name: string): boolean => (lstatSync(this.at(name)).mode & 0o100) !== 0;
  remove = (name: string): void => rmSync(this.at(name), { recursive: true });

  write(name: string, content: string | Uint8Array, mode?: number): void {
    mkdirSync(path.dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content);
    if (mode !== undefined) chmodSync(this.at(name), mode);
  }
}

/** A workspace, and a data folder for isolated files of its tasks. */
export interface Project extends AsyncDisposable {
  readonly files: Files;
  readonly dataDir: string;
  readonly isolation: Isolation;
  readonly ledger: MergeLedger;
  open(id: string, options?: Partial<IsolatedTask>): Promise<Opened>;
  merge(record: IsolationRecord, conflicts?: ConflictChoice): Promise<MergeResult>;
}

export interface Opened {
  readonly record: IsolationRecord;
  readonly files: Files;
}

interface ProjectOptions {
  /** Whether it is a repository with its files committed. Default true. */
  readonly isCommitted?: boolean;
  readonly kind?: IsolatedFiles;
  readonly limits?: Partial<IsolationLimits>;
  /** The data folder, relative to the workspace. */
  readonly dataDir?: string;
}

export async function openProject(
  files: Readonly<Record<string, string>>,
  { isCommitted = true, kind = "worktree", limits = {}, dataDir: named = "../data" }: ProjectOptions = {},
): Promise<Project> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "isolation-")));
  const workspace = new Files(path.join(base, "project"));
  mkdirSync(workspace.dir);
  for (const [name, text] of Object.entries(files)) workspace.write(name, text);
  if (isCommitted) {
    git(workspace.dir, "init", "--quiet");
    git(workspace.dir, "add", "--all");
    git(workspace.dir, "commit", "--quiet", "--allow-empty", "--message", "Start");
  }
  const dataDir = path.join(workspace.dir, named);
  let time = 1_000;
  const clock = { ...systemClock, now: () => time++ };
  const journal = (id: string) => fileJournal({ dir: taskFolder(dataDir, id) });
  const ledger = new WorkspaceMerges({ dataDir, clock, journal });
  const isolation = new Isolation({ dataDir, clock, ledger, env: GIT_ENV, limits });
  return {
    files: workspace,
    dataDir,
    isolation,
    ledger,
    async open(id, options) {
      const record = await isolation.open({ id, source: workspace.dir, kind, ...options });
      return { record, files: new Files(record.workspace) };
    },
    merge: async (record, conflicts = "stop") =>
      isolation.merge(record, { workspace: await openWorkspace(workspace.dir), conflicts }),
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}
