import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../store/files/system-code.ts";
import { ToolError } from "../../tools/error.ts";
import { type Confinement, isInside, realPathOf } from "./confinement.ts";

/** Linux: a handle on the path alone. Opening it has no effect on a device or a FIFO. */
const O_PATH = 0o10000000;

/** A file or folder inside the workspace that is held open, so that no symlink can replace it. */
export interface OpenPath extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Its real path when it was checked. */
  readonly real: string;
  /** A path that leads to exactly this file as long as it is open. */
  readonly via: string;
  /** Its real path now. */
  realNow(): Promise<string>;
}

/**
 * Opens a path and checks that the opened file is in the workspace (L9).
 *
 * @param named the path as the call gave it, for messages
 * @throws ToolError `OUTSIDE_WORKSPACE`, `NOT_FOUND`
 */
export async function openInside(
  confinement: Confinement,
  absolute: string,
  named: string,
): Promise<OpenPath> {
  const openChecked = confinement.check === "descriptors" ? openDescriptor : openRealPath;
  try {
    return await openChecked(confinement, absolute, named);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    // Whether a path outside exists is not revealed.
    const real = await realPathOf(absolute);
    if (real !== undefined && !isInside(confinement.root, real)) throw outside(confinement, named);
    throw (await isThere(confinement.root)) ? systemError(error, named) : workspaceGone(confinement);
  }
}

/**
 * Opens a path, or the nearest folder above it that exists.
 *
 * @returns with the names of what is missing below it
 * @throws ToolError `OUTSIDE_WORKSPACE`
 */
export async function openNearest(
  confinement: Confinement,
  absolute: string,
  named: string,
): Promise<{ readonly opened: OpenPath; readonly missing: readonly string[] }> {
  const missing: string[] = [];
  for (let at = absolute; ; at = path.dirname(at)) {
    try {
      return { opened: await openInside(confinement, at, named), missing };
    } catch (error) {
      const isMissing = error instanceof ToolError && error.code === "NOT_FOUND";
      if (!isMissing || at === path.dirname(at) || at === confinement.root) throw error;
      missing.unshift(path.basename(at));
    }
  }
}

async function openDescriptor(confinement: Confinement, absolute: string, named: string): Promise<OpenPath> {
  const handle = await open(absolute, O_PATH);
  const via = `/proc/self/fd/${handle.fd}`;
  try {
    const real = await readlink(via);
    if (!isInside(confinement.root, real)) throw outside(confinement, named);
    await assertNotDeleted(handle, real, named);
    return openPath(handle, real, via, () => readlink(via));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The link of a deleted file ends in " (deleted)", so that no rule could match it. */
async function assertNotDeleted(handle: FileHandle, real: string, named: string): Promise<void> {
  const opened = await handle.stat({ bigint: true });
  const isDeleted = opened.nlink === 0n;
  if (!isDeleted && !real.endsWith(" (deleted)")) return;
  const found = isDeleted ? undefined : await stat(real, { bigint: true }).catch(() => undefined);
  if (found === undefined || found.ino !== opened.ino || found.dev !== opened.dev)
    throw new ToolError("NOT_FOUND", `'${named}' was deleted while it was opened. Look again.`);
}

async function openRealPath(confinement: Confinement, absolute: string, named: string): Promise<OpenPath> {
  const real = await realpath(absolute);
  if (!isInside(confinement.root, real)) throw outside(confinement, named);
  const type = await stat(real);
  // Opening a device may have an effect, so only files and folders are opened.
  if (!type.isFile() && !type.isDirectory()) throw notAFile(named);
  const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  if ((await realpath(absolute).catch(() => undefined)) !== real) {
    await handle.close();
    throw outside(confinement, named);
  }
  return openPath(handle, real, real, () => realpath(real));
}

const openPath = (
  handle: FileHandle,
  real: string,
  via: string,
  realNow: () => Promise<string>,
): OpenPath => ({ handle, real, via, realNow, [Symbol.asyncDispose]: () => handle.close() });

export function outside({ root }: Confinement, named: string): ToolError {
  return new ToolError(
    "OUTSIDE_WORKSPACE",
    `'${named}' is outside the workspace ${root}: expected a path inside it, also after symlinks. Use one.`,
  );
}

const isThere = (root: string): Promise<boolean> =>
  stat(root).then(
    () => true,
    () => false,
  );

function workspaceGone({ root }: Confinement): ToolError {
  return new ToolError(
    "NOT_FOUND",
    `The workspace ${root} no longer exists: it was moved or removed. Ask the user what to do.`,
  );
}

export function notAFile(named: string): ToolError {
  return new ToolError(
    "NOT_A_FILE",
    `'${named}' is not a regular file (it is a folder, a pipe, a socket or a device): expected a file.`,
  );
}

export function systemError(cause: unknown, named: string): ToolError {
  const code = systemCode(cause);
  const shown = path.basename(named).length > 200 ? `${named.slice(0, 100)}...` : named;
  if (code === "ENOENT" || code === "ENOTDIR")
    return new ToolError("NOT_FOUND", `'${shown}' does not exist. Check the path, or list the folder.`, {
      cause,
    });
  if (code === "ENAMETOOLONG" || code === "ERR_INVALID_ARG_VALUE" || code === "ELOOP")
    return new ToolError("NOT_FOUND", `'${shown}' is not a valid path (${code}).`, { cause });
  return new ToolError("FAILED", `'${shown}' can't be used: ${code || String(cause)}.`, { cause });
}
