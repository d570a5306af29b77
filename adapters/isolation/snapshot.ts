import { lstat, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemCode } from "../../store/files/system-code.ts";
import { ToolError } from "../../tools/error.ts";
import { isInOneOf } from "../checkpoints/data-folders.ts";
import { type BytePath, formatNul, toText } from "../checkpoints/paths.ts";
import { copyIndex } from "../repository/copy-index.ts";
import { isLedger } from "./file-state.ts";
import type { IsolationLimits } from "./limits.ts";
import type { Repository } from "./repository.ts";

export interface SnapshotOptions {
  readonly limits: Pick<IsolationLimits, "maxFiles" | "maxBytes">;
  /** Folders, relative to the working tree, that are not in the snapshot. */
  readonly excluded: readonly BytePath[];
}

/**
 * The files of a working tree now, as a tree of its repository: what is committed, with all changes and new files that are
 * not ignored. They are staged in a copy of the index, so the index, the branch and the files of the user stay as they are.
 *
 * @throws ToolError `TOO_LARGE`, `FAILED`
 */
export async function takeSnapshot(repository: Repository, options: SnapshotOptions): Promise<string> {
  const temporary = await mkdtemp(path.join(tmpdir(), "signalbox-index-"));
  try {
    const index = path.join(temporary, "index");
    const own = await repository.text(["rev-parse", "--git-path", "index"]);
    await copyIndex(path.resolve(repository.folder, own), index);
    const changed = await changedFiles(repository, index, options);
    const input = formatNul(changed);
    await repository.bytes(["update-index", "-z", "--add", "--remove", "--stdin"], { index, input });
    return await repository.text(["write-tree"], { index });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The files that differ from the index. Nested repositories are left out. */
async function changedFiles(
  repository: Repository,
  index: string,
  { limits, excluded }: SnapshotOptions,
): Promise<readonly BytePath[]> {
  const args = ["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"];
  const isExcluded = (file: BytePath): boolean => isLedger(file) || isInOneOf(excluded, file);
  const listed = new Set(await repository.list(args, { index }));
  const files = [...listed].filter((file) => !file.endsWith("/") && !isExcluded(file));
  if (files.length > limits.maxFiles)
    throw new ToolError(
      "TOO_LARGE",
      `${repository.folder} has ${files.length} files that are not committed: expected at most ${limits.maxFiles} (maxFiles). Commit them, or ignore them with .gitignore.`,
    );
  let bytes = 0;
  for (const file of files) bytes += await sizeOf(path.join(repository.folder, toText(file)));
  if (bytes > limits.maxBytes)
    throw new ToolError(
      "TOO_LARGE",
      `The files of ${repository.folder} that are not committed have ${bytes} bytes: expected at most ${limits.maxBytes} (maxBytes). Commit them, or ignore them with .gitignore.`,
    );
  return files;
}

async function sizeOf(file: string): Promise<number> {
  try {
    const found = await lstat(file);
    return found.isFile() ? found.size : 0;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return 0;
    throw error;
  }
}
