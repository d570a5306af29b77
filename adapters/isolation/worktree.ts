import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { dataFoldersIn } from "../checkpoints/data-folders.ts";
import { toText } from "../checkpoints/paths.ts";
import { type FileChange, type FileChanges, type FileState, isLedger } from "./file-state.ts";
import type { IsolationLimits } from "./limits.ts";
import type { WorktreeRecord } from "./record.ts";
import { Repository, type RepositoryOptions } from "./repository.ts";
import { takeSnapshot } from "./snapshot.ts";

/** The parts that all worktrees of a data folder share. */
export interface WorktreeHost {
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly limits: IsolationLimits;
}

type NewWorktree = Pick<WorktreeRecord, "id" | "source" | "folder">;
type PlannedWorktree = Pick<WorktreeRecord, "repository" | "gitDir" | "branch" | "base" | "workspace">;

/**
 * Plan the worktree of a task: commit the files of the source as they are now, on no branch. The commit is the one that is
 * checked out, if no file differs from it.
 */
export async function planWorktree(
  { id, source, folder }: NewWorktree,
  { top, prefix }: { readonly top: string; readonly prefix: string },
  host: WorktreeHost,
): Promise<PlannedWorktree> {
  const repository = new Repository(top, gitOptions(host));
  const tree = await takeSnapshot(repository, {
    limits: host.limits,
    excluded: dataFoldersIn(top, host.dataDir),
  });
  const head = await repository.text(["rev-parse", "--verify", "--quiet", "HEAD"], { exitCodes: [1] });
  const base = await commitOf(repository, tree, head, `The files of ${source} when task ${id} began`);
  return {
    repository: top,
    gitDir: path.resolve(top, await repository.text(["rev-parse", "--git-common-dir"])),
    branch: await branchOf(repository, id),
    base,
    workspace: path.join(folder, prefix),
  };
}

/** Create the worktree of a record, on a branch of its own. */
export async function addWorktree(
  { repository, branch, base, folder }: WorktreeRecord,
  host: WorktreeHost,
): Promise<void> {
  const git = new Repository(repository, gitOptions(host));
  await git.bytes(["worktree", "add", "--quiet", "-b", branch, folder, base]);
}

/** The files of a worktree that differ from the source as it was at first. */
export async function worktreeChanges(record: WorktreeRecord, host: WorktreeHost): Promise<FileChanges> {
  const { folder, workspace, base, repository } = record;
  const git = new Repository(folder, gitOptions(host));
  const tree = await takeSnapshot(git, { limits: host.limits, excluded: [] });
  const all = await git.list(["diff-tree", "-r", "-z", "--raw", "--no-renames", base, tree]);
  // A task may have committed its ledger.
  const fields = all.filter((_, at) => !isLedger(all[at - (at % 2) + 1] ?? ""));
  // A worktree of a worktree that was removed has the same objects.
  const source = existsSync(repository) ? new Repository(repository, gitOptions(host)) : git;
  const prefix = path.relative(folder, workspace).split(path.sep).join("/");
  const list: FileChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = toText(fields[at + 1] ?? "");
    const [, oldMode = "", newMode = "", oldHash = "", newHash = ""] =
      /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+)/.exec(fields[at] ?? "") ?? [];
    list.push({
      path: path.posix.relative(prefix, name),
      before: stateOf(source, name, oldMode, oldHash),
      after: stateOf(source, name, newMode, newHash),
    });
  }
  return { list, version: createHash("sha256").update(fields.join("\0"), "latin1").digest("hex") };
}

/** Remove a worktree with its branch. What is missing already is no error. */
export async function removeWorktree(
  { gitDir, branch, folder }: WorktreeRecord,
  host: WorktreeHost,
): Promise<void> {
  // The repository of the user may have been removed. The working tree that this one is from may have been, as well.
  if (!existsSync(gitDir)) return;
  const git = new Repository(gitDir, { ...gitOptions(host), gitDir });
  const known = (await git.text(["worktree", "list", "--porcelain"])).split("\n");
  if (known.includes(`worktree ${folder}`))
    await git.bytes(["worktree", "remove", "--force", "--force", folder]);
  const ref = `refs/heads/${branch}`;
  if ((await git.text(["rev-parse", "--verify", "--quiet", ref], { exitCodes: [1] })) !== "")
    await git.bytes(["branch", "--quiet", "-D", branch]);
}

const gitOptions = ({ env, limits }: WorktreeHost): RepositoryOptions => ({
  env,
  timeoutMs: limits.gitTimeoutMs,
});

async function commitOf(
  repository: Repository,
  tree: string,
  head: string,
  message: string,
): Promise<string> {
  if (head !== "" && (await repository.text(["rev-parse", "--verify", `${head}^{tree}`])) === tree)
    return head;
  const parents = head === "" ? [] : ["-p", head];
  return repository.text(["commit-tree", tree, ...parents, "-m", message]);
}

/** The branch of a task. An id that is no name of a branch is replaced by its hash. */
async function branchOf(repository: Repository, id: string): Promise<string> {
  const branch = `signalbox/${id}`;
  const checked = await repository.text(["check-ref-format", "--branch", branch], { exitCodes: [1, 128] });
  return checked === branch
    ? branch
    : `signalbox/${createHash("sha256").update(id).digest("hex").slice(0, 24)}`;
}

const ABSENT = "000000";
const LINK = "120000";

/** The state of a file of a tree, as it is checked out. */
function stateOf(source: Repository, name: string, mode: string, hash: string): FileState {
  if (mode === ABSENT) return null;
  // A name that is not UTF-8 can't be written by a workspace.
  const isKnown = !name.includes("\ufffd");
  const isFile = mode.startsWith("100") && isKnown;
  return {
    kind: isFile ? "file" : mode === LINK && isKnown ? "link" : "other",
    isExecutable: mode === "100755",
    read: async () => {
      if (mode === "160000") return Buffer.from(hash);
      // A file is converted as in a checkout, such as its line ends; a symlink is not.
      return isFile
        ? source.bytes(["cat-file", "--filters", `--path=${name}`, hash])
        : source.bytes(["cat-file", "blob", hash]);
    },
  };
}
