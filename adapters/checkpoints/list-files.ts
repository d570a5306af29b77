import path from "node:path";
import type { SkippedPath } from "./commit.ts";
import { isInOneOf } from "./data-folders.ts";
import { CheckpointError, RAISE_LIMIT } from "./error.ts";
import type { Operation } from "./operation.ts";
import { type BytePath, formatNul, parseNul, toText } from "./paths.ts";

export interface FileList {
  readonly files: readonly BytePath[];
  readonly leftOut: readonly SkippedPath[];
}

/**
 * Lists the workspace's files for a checkpoint: all but `.git` and those that `.gitignore` files exclude, from the
 * workspace down. Nested repositories are listed like any folder: git itself would save only their commit's hash.
 */
export async function listFiles(operation: Operation): Promise<FileList> {
  const files: BytePath[] = [];
  const leftOut: SkippedPath[] = [];
  const repositories: BytePath[] = [""];
  for (const repository of repositories) {
    const listed = await listRepository(operation, repository, files.length);
    leftOut.push(...listed.leftOut);
    const ignored =
      repository === "" ? new Set() : await ignoredFiles(operation, listed.files, operation.store.workspace);
    for (const file of listed.files) {
      if (ignored.has(file)) continue;
      if (file.endsWith("/")) repositories.push(file);
      else files.push(file);
    }
  }
  return { files, leftOut };
}

/** @param listed number of files that are listed already */
async function listRepository(
  { git, store, limits, folder }: Operation,
  repository: BytePath,
  listed: number,
): Promise<FileList> {
  let count = listed;
  const { out, err } = await git(["ls-files", "-z", "--others", "--exclude-standard"], {
    workTree: path.join(store.workspace, toText(repository)),
    // Without an index every file counts as new, so that one that is ignored by now is left out.
    index: path.join(folder, "none"),
    isEnough: (chunk) => {
      for (const byte of chunk) if (byte === 0) count += 1;
      return count > limits.maxFiles;
    },
  });
  if (count > limits.maxFiles)
    throw new CheckpointError(
      "files",
      `the workspace has more than ${limits.maxFiles} files (maxFiles). ${RAISE_LIMIT}`,
    );
  const files = parseNul(out).map((file) => repository + file);
  const unreadable = err.matchAll(/could not open directory '(.*?)\/?':/g);
  return {
    files: files.filter((file) => !isInOneOf(store.excluded, file)),
    leftOut: [...unreadable].map(([, name = ""]) => ({ file: repository + name, why: "it can't be read" })),
  };
}

/** The files that the `.gitignore` files in a folder exclude. */
export async function ignoredFiles(
  { git, folder }: Operation,
  files: readonly BytePath[],
  workTree: string,
): Promise<ReadonlySet<BytePath>> {
  if (files.length === 0) return new Set();
  const { out } = await git(["check-ignore", "-z", "--no-index", "--stdin"], {
    workTree,
    index: path.join(folder, "none"),
    // With this prefix git takes no name for a pattern.
    input: formatNul(files.map((file) => `./${file}`)),
    exitCodes: [1],
  });
  return new Set(parseNul(out).map((file) => file.slice(2)));
}
