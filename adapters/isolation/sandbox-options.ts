import path from "node:path";
import { checkpointsRoot, worktreesRoot } from "../../store/files/data-folder.ts";
import { contains, realPath, TEMPORARY } from "../sandbox/accesses.ts";
import {
  absolutePath,
  isRelative,
  type SandboxOptions,
  type TaskSandboxOptions,
} from "../sandbox/options.ts";
import { type IsolationRecord, readRecordSync } from "./record.ts";

/**
 * The accesses of the commands and hooks of a task in a data folder. They can't read the files of other tasks, or saved ones. In a
 * worktree or copy, a relative path is also denied in the folder that its files are from.
 *
 * @throws ToolError `FAILED` for a damaged record
 */
export function sandboxOptions(
  options: SandboxOptions,
  { dataDir, workspace }: { readonly dataDir: string; readonly workspace: string },
): TaskSandboxOptions {
  const { read = [], denyRead = [], denyWrite = [] } = options;
  const records = recordsOf(dataDir, workspace);
  const alsoIn = (given: readonly string[]): readonly string[] => [
    ...given,
    ...records.flatMap(({ source }) => given.filter(isRelative).map((each) => absolutePath(each, source))),
  ];
  return {
    ...options,
    read: [...read, ...records.flatMap(hiddenRepository)],
    denyRead: alsoIn(denyRead),
    hidden: [worktreesRoot(dataDir), path.resolve(checkpointsRoot(dataDir))],
    denyWrite: alsoIn(denyWrite),
  };
}

/** The records of the worktree or copy that a folder is in, of the one that this was created from, and so on. */
function recordsOf(dataDir: string, folder: string): readonly IsolationRecord[] {
  const root = realPath(worktreesRoot(dataDir));
  if (folder === root || !contains(root, folder)) return [];
  const [id = ""] = path.relative(root, folder).split(path.sep);
  const record = readRecordSync(dataDir, id);
  return record === undefined ? [] : [record, ...recordsOf(dataDir, record.source)];
}

/** The repository of a worktree, if commands see a temporary folder of their own in place of the one that it is in. */
const hiddenRepository = (record: IsolationRecord): readonly string[] =>
  record.kind === "worktree" && TEMPORARY.some((folder) => contains(realPath(folder), record.gitDir))
    ? [record.gitDir]
    : [];
