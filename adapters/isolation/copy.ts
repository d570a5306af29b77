import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, readlink, symlink } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../../tools/error.ts";
import { dataFoldersIn, isInOneOf } from "../checkpoints/data-folders.ts";
import { toBytePath } from "../checkpoints/paths.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { fileOnDisk } from "./file-on-disk.ts";
import { type FileChange, type FileChanges, type FileState, isLedger, isSameFile } from "./file-state.ts";
import type { IsolationLimits } from "./limits.ts";
import type { CopyRecord } from "./record.ts";

type Limits = Pick<IsolationLimits, "maxFiles" | "maxBytes">;

/**
 * Copy the files of the source twice: to work in, and as they were at first. Neither files that `.gitignore` hides nor folders
 * of the data folder are copied.
 *
 * @throws ToolError `TOO_LARGE`
 */
export async function copyFiles(record: CopyRecord, dataDir: string, limits: Limits): Promise<void> {
  const { source, folder, original } = record;
  const excluded = dataFoldersIn(source, dataDir);
  const names = (await listFiles(source, limits)).filter((name) => !isInOneOf(excluded, toBytePath(name)));
  await assertSize(source, names, limits);
  for (const target of [original, folder]) {
    await mkdir(target, { recursive: true });
    for (const name of names) await copyOne(path.join(source, name), path.join(target, name));
  }
}

/** The files of a copy that differ from what they were at first. */
export async function copyChanges(record: CopyRecord, limits: Limits): Promise<FileChanges> {
  const { folder, original } = record;
  const names = new Set([...(await walk(original)), ...(await listFiles(folder, limits))]);
  const list: FileChange[] = [];
  const hash = createHash("sha256");
  for (const name of [...names].sort()) {
    const [before, after] = [await fileOnDisk(original, name), await fileOnDisk(folder, name)];
    if (await isSameFile(before, after)) continue;
    list.push({ path: name, before, after });
    hash.update(`${name}\0${after === null ? "" : `${after.kind} ${after.isExecutable} `}`);
    hash.update(await contentOf(after));
  }
  return { list, version: hash.digest("hex") };
}

const contentOf = async (file: FileState): Promise<Uint8Array> =>
  file === null ? new Uint8Array() : file.read();

/** The files and symlinks of a folder that no rule hides, with slashes. */
async function listFiles(folder: string, { maxFiles }: Limits): Promise<readonly string[]> {
  const workspace = await openWorkspace(folder);
  const { names, cut } = await workspace.list(".", { recursive: true, limit: 2 * maxFiles });
  const files = names.filter((name) => !name.endsWith("/") && !isLedger(name));
  if (cut || files.length > maxFiles)
    throw new ToolError(
      "TOO_LARGE",
      `${folder} has more than ${maxFiles} files (maxFiles): expected fewer to copy. Ignore some with .gitignore, or make it a git repository.`,
    );
  return files;
}

async function assertSize(source: string, names: readonly string[], { maxBytes }: Limits): Promise<void> {
  let bytes = 0;
  for (const name of names) bytes += (await lstat(path.join(source, name))).size;
  if (bytes <= maxBytes) return;
  throw new ToolError(
    "TOO_LARGE",
    `${source} has ${bytes} bytes: expected at most ${maxBytes} to copy (maxBytes). Ignore files with .gitignore, or make it a git repository.`,
  );
}

/** Blocks are shared with the source where the file system can do that. */
async function copyOne(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  const found = await lstat(from);
  if (found.isSymbolicLink()) return symlink(await readlink(from), to);
  if (!found.isFile()) return;
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, found.mode & 0o777);
}

/** The files and symlinks below a folder, with slashes. */
async function walk(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"));
}
