import { constants } from "node:fs";
import { access, lstat, rename } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../store/files/system-code.ts";
import { copyIndex } from "../repository/copy-index.ts";
import type { SkippedPath } from "./commit.ts";
import { CheckpointError, RAISE_LIMIT } from "./error.ts";
import { type FileList, listFiles } from "./list-files.ts";
import type { Operation } from "./operation.ts";
import { absoluteOf, type BytePath, formatNul, parseNul } from "./paths.ts";

/** The workspace's files at one time, as a tree of the shadow repository. */
export interface Snapshot {
  readonly tree: string;
  /** An index of that tree with the files' stats, by which git finds later changes. */
  readonly index: string;
  readonly leftOut: readonly SkippedPath[];
}

/** Files that are read concurrently. */
const CONCURRENCY = 64;

/**
 * Takes a snapshot. Files that are unchanged since an earlier one are not read again.
 *
 * @param ignored files that are saved although they are ignored by now
 * @throws CheckpointError
 */
export async function takeSnapshot(
  operation: Operation,
  ignored: readonly BytePath[] = [],
): Promise<Snapshot> {
  const [listed] = await Promise.all([listFiles(operation), assertStoreSize(operation)]);
  const checked = await checkSizes(operation, [...new Set([...listed.files, ...ignored])]);
  const leftOut = [...listed.leftOut, ...checked.leftOut];
  const index = path.join(operation.folder, "index");
  const isCopied = await copyIndex(path.join(operation.store.dir, "index"), index);
  try {
    return await writeTree(operation, index, { files: checked.files, leftOut });
  } catch (error) {
    if (!(error instanceof CheckpointError) || error.failure.code !== "git") throw error;
    // An unreadable file or a damaged index must not prevent a checkpoint.
    const readable = await checkReadable(operation, checked.files);
    if (readable.leftOut.length === 0 && !isCopied) throw error;
    const newIndex = path.join(operation.folder, "new-index");
    const all = [...leftOut, ...readable.leftOut];
    return await writeTree(operation, newIndex, { files: readable.files, leftOut: all });
  }
}

async function writeTree({ git }: Operation, index: string, { files, leftOut }: FileList): Promise<Snapshot> {
  const wanted = new Set(files);
  const known = parseNul((await git(["ls-files", "-z", "--cached"], { index })).out);
  const removed = known.filter((file) => !wanted.has(file));
  if (removed.length > 0)
    await git(["update-index", "-z", "--force-remove", "--stdin"], { index, input: formatNul(removed) });
  const input = formatNul(files);
  const { err } = await git(["update-index", "-z", "--add", "--remove", "--stdin"], { index, input });
  const tree = (await git(["write-tree"], { index })).out.trim();
  const rejected = [...err.matchAll(/^Ignoring path (.*)$/gm)].map(([, file = ""]) => ({
    file,
    why: "git rejects its name",
  }));
  return { tree, index, leftOut: [...leftOut, ...rejected] };
}

/** Keeps the index of a snapshot for the next one. Of concurrent operations the last wins: all are valid. */
export async function keepIndex({ store }: Operation, { index }: Snapshot): Promise<void> {
  await rename(index, path.join(store.dir, "index"));
}

/** Leaves out what is too large, and what is neither a file nor a symlink. */
async function checkSizes({ store, limits }: Operation, files: readonly BytePath[]): Promise<FileList> {
  const kept: BytePath[] = [];
  const leftOut: SkippedPath[] = [];
  let bytes = 0;
  await forEach(files, async (file) => {
    const found = await lstat(absoluteOf(store.workspace, file)).catch(ignoreMissing);
    if (found === undefined || !(found.isFile() || found.isSymbolicLink())) return;
    if (found.size > limits.maxFileBytes) {
      leftOut.push({ file, why: `it is larger than ${limits.maxFileBytes} bytes (maxFileBytes)` });
      return;
    }
    kept.push(file);
    bytes += found.size;
    if (bytes > limits.maxTotalBytes)
      throw new CheckpointError(
        "bytes",
        `the workspace's files have more than ${limits.maxTotalBytes} bytes (maxTotalBytes). ${RAISE_LIMIT}`,
      );
  });
  return { files: kept, leftOut };
}

async function checkReadable({ store }: Operation, files: readonly BytePath[]): Promise<FileList> {
  const readable: BytePath[] = [];
  const leftOut: SkippedPath[] = [];
  await forEach(files, async (file) => {
    const absolute = absoluteOf(store.workspace, file);
    const found = await lstat(absolute).catch(ignoreMissing);
    if (found === undefined) return;
    const problem = found.isSymbolicLink()
      ? undefined
      : await access(absolute, constants.R_OK).catch((error: unknown) => systemCode(error) || "unknown");
    if (problem === undefined) readable.push(file);
    else leftOut.push({ file, why: `it can't be read (${problem})` });
  });
  return { files: readable, leftOut };
}

/** A file may have been removed since it was listed, or its folder replaced. */
function ignoreMissing(error: unknown): undefined {
  if (["ENOENT", "ENOTDIR", "EACCES"].includes(systemCode(error))) return undefined;
  throw error;
}

async function forEach(files: readonly BytePath[], act: (file: BytePath) => Promise<void>): Promise<void> {
  for (let from = 0; from < files.length; from += CONCURRENCY)
    await Promise.all(files.slice(from, from + CONCURRENCY).map(act));
}

async function assertStoreSize({ git, store, limits }: Operation): Promise<void> {
  const { out } = await git(["count-objects", "-v"]);
  const sizes = [...out.matchAll(/^(?:size|size-pack): (\d+)$/gm)];
  const bytes = sizes.reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0);
  if (bytes > limits.maxStoreBytes)
    throw new CheckpointError(
      "store",
      `the checkpoints of this workspace have ${bytes} bytes: more than ${limits.maxStoreBytes} (maxStoreBytes). Remove ${store.dir} with the old checkpoints, or raise the limit.`,
    );
}
