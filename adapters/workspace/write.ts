import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, realpath, rename, unlink } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../../tools/index.ts";
import { failure, notAFile, type Opened, openInside, outside } from "./opened.ts";
import { codeOf, fromRoot, isInside, type Place, realOf } from "./place.ts";
import { type Closed, ROOIGNORE } from "./rules.ts";

/** How many symlinks to files a write follows. */
const HOPS_MAX = 8;

export interface WriteOptions {
  readonly absolute: string;
  /** The path as the call gave it, for messages. */
  readonly named: string;
  readonly bytes: Uint8Array;
}

/**
 * Writes through the file's folder, which is held open and was checked: a temporary file, made new, is
 * written, synced and renamed there (L9). Folders that are missing are made the same way, one by one.
 */
export async function writeInside(
  place: Place,
  closed: Closed,
  options: WriteOptions,
  hops = 0,
): Promise<{ readonly created: boolean }> {
  const { absolute, named } = options;
  if (absolute === place.root) throw notAFile(named);
  const folder = await openFolder(place, path.dirname(absolute), named, closed);
  try {
    const target = await targetIn(folder, path.basename(absolute), named);
    if (target?.isSymbolicLink()) {
      return await writeThroughLink(place, closed, options, hops);
    }
    if (target !== undefined && !target.isFile()) throw notAFile(named);
    const relative = fromRoot(place.root, path.join(folder.real, path.basename(absolute)));
    refuseClosed(closed, relative, named);
    await replace(place, folder, path.basename(absolute), target, options);
    return { created: target === undefined };
  } finally {
    await folder.close();
  }
}

/** A symlink to a file inside is followed to it, and everything is checked again there. */
async function writeThroughLink(
  place: Place,
  closed: Closed,
  options: WriteOptions,
  hops: number,
): Promise<{ readonly created: boolean }> {
  const real = await realpath(options.absolute).catch(() => undefined);
  if (real === undefined || hops >= HOPS_MAX) {
    const leads = await realOf(options.absolute);
    if (leads === undefined || !isInside(place.root, leads)) throw outside(place, options.named);
    throw new ToolError(
      "not_a_file",
      `'${options.named}' is a symlink to a file that does not exist: expected a file. Write to its target.`,
    );
  }
  if (!isInside(place.root, real)) throw outside(place, options.named);
  return writeInside(place, closed, { ...options, absolute: real }, hops + 1);
}

export function refuseClosed(closed: Closed, relative: string, named: string): void {
  if (!closed.closes(relative)) return;
  throw new ToolError(
    "ignored",
    `Access to '${named}' is blocked by ${ROOIGNORE}. Go on without this file, or ask the user to change the rules.`,
  );
}

/** The folder at `absolute`, made where it is missing. */
async function openFolder(place: Place, absolute: string, named: string, closed: Closed): Promise<Opened> {
  const missing: string[] = [];
  let folder: Opened | undefined;
  let at = absolute;
  while (folder === undefined) {
    try {
      folder = await openInside(place, at, named);
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== "not_found") throw error;
      if (at === path.dirname(at)) throw error;
      missing.unshift(path.basename(at));
      at = path.dirname(at);
    }
  }
  for (const name of missing) {
    const above: Opened = folder;
    try {
      refuseClosed(closed, fromRoot(place.root, path.join(above.real, name)), named);
      folder = await makeFolder(place, above, name, named);
    } finally {
      await above.close();
    }
  }
  return folder;
}

async function makeFolder(place: Place, above: Opened, name: string, named: string): Promise<Opened> {
  await mkdir(path.join(above.via, name)).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw notAFolder(error, named);
  });
  const folder = await openInside(place, path.join(above.via, name), named);
  const stat = await folder.handle.stat();
  // A symlink in this place is nobody's honest doing: the folder was missing a moment ago.
  if (stat.isDirectory() && folder.real === path.join(await above.whereNow(), name)) return folder;
  await folder.close();
  throw outside(place, named);
}

function notAFolder(error: unknown, named: string): ToolError {
  if (codeOf(error) !== "ENOTDIR") return failure(error, named);
  return new ToolError("not_a_folder", `A part of '${named}' is a file: expected folders above the file.`, {
    cause: error,
  });
}

async function targetIn(folder: Opened, name: string, named: string): Promise<Stats | undefined> {
  if (!(await folder.handle.stat()).isDirectory()) throw notAFolder({ code: "ENOTDIR" }, named);
  return lstat(path.join(folder.via, name)).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw failure(error, named);
  });
}

async function replace(
  place: Place,
  folder: Opened,
  name: string,
  target: Stats | undefined,
  { named, bytes }: WriteOptions,
): Promise<void> {
  const temporary = path.join(folder.via, `.${randomUUID()}.tmp`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  try {
    const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
    try {
      await file.writeFile(bytes);
      if (target !== undefined) await keepIdentity(file, target);
      await file.sync();
    } finally {
      await file.close();
    }
    if (!isInside(place.root, await folder.whereNow())) throw outside(place, named);
    await rename(temporary, path.join(folder.via, name));
  } catch (error) {
    // What is left of the attempt goes; that it never came to be is no second failure.
    await unlink(temporary).catch(() => undefined);
    throw error instanceof ToolError ? error : failure(error, named);
  }
  await syncFolder(folder);
}

/** The new file is who the old one was: its owner, as far as the system lets us, and its mode. */
async function keepIdentity(
  file: Awaited<ReturnType<typeof open>>,
  { uid, gid, mode }: Stats,
): Promise<void> {
  const own = await file.stat();
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid).catch(() => undefined);
  await file.chmod(mode & 0o7777);
}

/** So that the rename itself outlives a power cut. */
async function syncFolder(folder: Opened): Promise<void> {
  const handle = await open(folder.via, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
