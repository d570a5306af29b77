import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, type FileHandle, open, rename, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { syncFolders } from "./sync-folders.ts";
import { systemCode } from "./system-code.ts";

interface ContentOptions {
  /** The file as `lstat` found it; undefined: there is none. */
  readonly target: Stats | undefined;
  /** The owner and the mode of a new file. Default: as the process creates files. */
  readonly like?: Stats | undefined;
  /** Called immediately before the file changes; it rejects to prevent that. */
  readonly beforeChange?: () => Promise<void>;
}

/** Codes of a file that can't be replaced by a new one: it is mounted, or its folder can't be written. */
const NOT_REPLACEABLE: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EBUSY", "EROFS", "EXDEV"]);
const CHUNK_BYTES = 1_048_576;

/** Whether the user may write a file. @throws the error of the system for another reason */
export async function isWritable(file: string): Promise<boolean> {
  try {
    await access(file, constants.W_OK);
    return true;
  } catch (error) {
    if (["EACCES", "EPERM", "EROFS"].includes(systemCode(error))) return false;
    throw error;
  }
}

/**
 * Write the whole content of a regular file. A new file replaces it atomically: synced, then renamed, with its owner and
 * mode. The file itself is written where that would cut a hard link or change the owner, or is impossible: a mounted file,
 * a folder without permission to write. That is not atomic: a copy of the old content is made first, which is put back
 * after an error such as a full disk, and stays after a crash.
 *
 * @throws the error of the system. Then the file has its old content; if it can't be put back, the error names the copy
 */
export async function replaceContent(
  file: string,
  bytes: Uint8Array,
  { target, like, beforeChange = async () => {} }: ContentOptions,
): Promise<void> {
  if (target === undefined || target.nlink <= 1) {
    if (await replace(file, bytes, { target, like, beforeChange })) return;
  }
  if (target !== undefined) await overwrite(file, bytes, target, beforeChange);
}

/** Returns false if the file must be written in place. */
async function replace(
  file: string,
  bytes: Uint8Array,
  { target, like, beforeChange }: Required<Pick<ContentOptions, "beforeChange">> & ContentOptions,
): Promise<boolean> {
  const folder = path.dirname(file);
  const draft = path.join(folder, `.${randomUUID()}.tmp`);
  try {
    const isLike = await writeNew(draft, bytes, target ?? like);
    if (target === undefined || isLike) {
      await beforeChange();
      await rename(draft, file);
      // The rename must survive a power failure.
      await syncFolders(folder);
      return true;
    }
    await unlink(draft);
    return false;
  } catch (error) {
    // The draft may not exist yet.
    await unlink(draft).catch(() => undefined);
    if (target !== undefined && NOT_REPLACEABLE.has(systemCode(error))) return false;
    throw error;
  }
}

/** Returns whether the new file has the owner and the mode of the other one. */
async function writeNew(file: string, bytes: Uint8Array, like: Stats | undefined): Promise<boolean> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  await using handle = await open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  await handle.writeFile(bytes);
  const isLike = like === undefined || (await copyOwnerAndMode(handle, like));
  await handle.sync();
  return isLike;
}

/** Returns whether the system permits the owner. */
async function copyOwnerAndMode(handle: FileHandle, { uid, gid, mode }: Stats): Promise<boolean> {
  const own = await handle.stat();
  const isOwned =
    (own.uid === uid && own.gid === gid) ||
    (await handle.chown(uid, gid).then(
      () => true,
      () => false,
    ));
  await handle.chmod(mode & 0o7777);
  return isOwned;
}

/** Writes in place. What is longer than the old content comes first: a full disk is found before anything is lost. */
async function overwrite(
  file: string,
  bytes: Uint8Array,
  target: Stats,
  beforeChange: () => Promise<void>,
): Promise<void> {
  const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  await using handle = await open(file, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  const { ino, dev, size } = await handle.stat();
  if (ino !== target.ino || dev !== target.dev) throw new Error("the file was replaced while it was written");
  await using copy = await createCopy(handle, path.dirname(file));
  await beforeChange();
  try {
    if (bytes.length > size) {
      await writeAt(handle, bytes.subarray(size), size);
      await handle.sync();
    }
    await writeAt(handle, bytes.subarray(0, size), 0);
    await handle.truncate(bytes.length);
    await handle.sync();
  } catch (error) {
    await putBack(copy, handle, size, error);
    throw error;
  }
  await unlink(copy.path);
}

interface Copy extends AsyncDisposable {
  readonly path: string;
  readonly handle: FileHandle;
}

/** Copies a file into its folder, or the one for temporary files if that can't be written. */
async function createCopy(original: FileHandle, folder: string): Promise<Copy> {
  const name = `.${randomUUID()}.bak`;
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const copyTo = async (file: string): Promise<Copy> => {
    const handle = await open(file, flags, 0o600);
    try {
      await copyBytes(original, handle);
      await handle.sync();
      return { path: file, handle, [Symbol.asyncDispose]: () => handle.close() };
    } catch (error) {
      await handle.close();
      await unlink(file);
      throw error;
    }
  };
  return await copyTo(path.join(folder, name)).catch(() => copyTo(path.join(tmpdir(), name)));
}

async function putBack(copy: Copy, handle: FileHandle, size: number, cause: unknown): Promise<void> {
  try {
    await copyBytes(copy.handle, handle);
    await handle.truncate(size);
    await handle.sync();
  } catch {
    throw new Error(`the file was written in part; its old content is in ${copy.path}`, { cause });
  }
  await unlink(copy.path);
}

async function copyBytes(from: FileHandle, to: FileHandle): Promise<void> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await from.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return;
    await writeAt(to, chunk.subarray(0, bytesRead), at);
    at += bytesRead;
  }
}

async function writeAt(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
