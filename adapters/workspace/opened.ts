import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../../tools/index.ts";
import { codeOf, isInside, type Place, realOf } from "./place.ts";

/** Linux: a handle on the place in the file system alone. Opening it has no effect on a device or a FIFO. */
const O_PATH = 0o10000000;

/** Something inside the workspace that is held open, so that no symlink can take its place. */
export interface Opened extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Where it lay when it was checked. */
  readonly real: string;
  /** A path that leads to exactly this thing as long as it is held. */
  readonly via: string;
  /** Where it lies now. */
  whereNow(): Promise<string>;
  close(): Promise<void>;
}

/**
 * Opens what `absolute` names and checks that the opened thing lies in the workspace (L9).
 *
 * @param named the path as the call gave it, for messages
 * @throws ToolError `outside_workspace`, `not_found`
 */
export async function openInside(place: Place, absolute: string, named: string): Promise<Opened> {
  try {
    return place.check === "descriptors"
      ? await openDescriptor(place, absolute, named)
      : await openPath(place, absolute, named);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    // What lies outside isn't even said to be missing.
    const real = await realOf(absolute);
    if (real !== undefined && !isInside(place.root, real)) throw outside(place, named);
    throw failure(error, named);
  }
}

async function openDescriptor(place: Place, absolute: string, named: string): Promise<Opened> {
  const handle = await open(absolute, O_PATH);
  const via = `/proc/self/fd/${handle.fd}`;
  try {
    const real = await readlink(via);
    if (!isInside(place.root, real)) throw outside(place, named);
    await refuseDeleted(handle, real, named);
    return held(handle, real, via, () => readlink(via));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The name of a deleted file ends in " (deleted)": no rule could judge by it. */
async function refuseDeleted(handle: FileHandle, real: string, named: string): Promise<void> {
  const now = await handle.stat({ bigint: true });
  const gone = now.nlink === 0n;
  if (!gone && !real.endsWith(" (deleted)")) return;
  const there = gone ? undefined : await stat(real, { bigint: true }).catch(() => undefined);
  if (there === undefined || there.ino !== now.ino || there.dev !== now.dev) {
    throw new ToolError("not_found", `'${named}' was deleted while it was opened. Look again.`);
  }
}

async function openPath(place: Place, absolute: string, named: string): Promise<Opened> {
  const real = await realpath(absolute);
  if (!isInside(place.root, real)) throw outside(place, named);
  const kind = await stat(real);
  // Opening a device may set it off, so nothing but files and folders is opened at all.
  if (!kind.isFile() && !kind.isDirectory()) throw notAFile(named);
  const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  if ((await realpath(absolute).catch(() => undefined)) !== real) {
    await handle.close();
    throw outside(place, named);
  }
  return held(handle, real, real, () => realpath(real));
}

function held(handle: FileHandle, real: string, via: string, whereNow: () => Promise<string>): Opened {
  const close = (): Promise<void> => handle.close();
  return { handle, real, via, whereNow, close, [Symbol.asyncDispose]: close };
}

export function outside(place: Place, named: string): ToolError {
  return new ToolError(
    "outside_workspace",
    `'${named}' lies outside the workspace ${place.root}: expected a path inside it, also after symlinks. Use one.`,
  );
}

export function notAFile(named: string): ToolError {
  return new ToolError(
    "not_a_file",
    `'${named}' is not a regular file (it is a folder, a pipe, a socket or a device): expected a file.`,
  );
}

/** What the system said, for the model. */
export function failure(error: unknown, named: string): ToolError {
  const code = codeOf(error);
  const shown = path.basename(named).length > 200 ? `${named.slice(0, 100)}...` : named;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new ToolError("not_found", `'${shown}' does not exist. Check the path, or list the folder.`, {
      cause: error,
    });
  }
  if (code === "ENAMETOOLONG" || code === "ERR_INVALID_ARG_VALUE" || code === "ELOOP") {
    return new ToolError("not_found", `'${shown}' is no path that the system takes (${code}).`, {
      cause: error,
    });
  }
  return new ToolError("failed", `'${shown}' can't be used: ${code ?? String(error)}.`, { cause: error });
}
