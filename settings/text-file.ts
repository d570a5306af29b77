import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../store/files/system-code.ts";
import { decodeText, EXPECTED_TEXT, withoutMark } from "../tools/text-encoding.ts";
import { SettingsError } from "./error.ts";

/** Maximum bytes of a settings file. */
export const SETTINGS_BYTES_MAX = 262_144;

export interface TextFileOptions {
  /** Maximum bytes. Default: 262144. */
  readonly maxBytes?: number;
  /** Folder that the file must be in, also when symlinks are followed. Default: any. */
  readonly inside?: string;
  /** Whether only the user may read and change it. Default: false. */
  readonly isPrivate?: boolean;
}

/**
 * Read a regular file of text. Undefined if there is none.
 *
 * @throws SettingsError `SETTINGS_UNREADABLE`, `KEYS_EXPOSED`
 */
export async function readTextFile(file: string, options: TextFileOptions = {}): Promise<string | undefined> {
  try {
    if (options.inside !== undefined) await assertInside(file, options.inside);
    // A pipe would block without O_NONBLOCK.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (options.isPrivate === true) await assertPrivate(handle, file);
      return await readText(handle, file, options.maxBytes ?? SETTINGS_BYTES_MAX);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return undefined;
    if (error instanceof SettingsError) throw error;
    throw unreadable(file, `a readable file, received ${systemCode(error) || String(error)}`, error);
  }
}

async function readText(handle: FileHandle, file: string, maxBytes: number): Promise<string> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw unreadable(file, "a regular file");
  // One byte more shows that a file has grown since.
  const buffer = Buffer.alloc(Math.min(stats.size, maxBytes) + 1);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  if (stats.size > maxBytes || bytesRead > maxBytes)
    throw unreadable(file, `at most ${maxBytes} bytes, received ${Math.max(stats.size, bytesRead)}`);
  const text = decodeText(buffer.subarray(0, bytesRead));
  if (text === undefined) throw unreadable(file, `${EXPECTED_TEXT}, received other bytes`);
  return withoutMark(text);
}

/** The open file is checked, so that it can't be exchanged in between. Windows has no such modes. */
async function assertPrivate(handle: FileHandle, file: string): Promise<void> {
  const user = process.getuid?.();
  if (user === undefined) return;
  const { uid, mode } = await handle.stat();
  if (uid === user && (mode & 0o077) === 0) return;
  const received = uid === user ? `mode ${(mode & 0o777).toString(8).padStart(4, "0")}` : `the user ${uid}`;
  throw new SettingsError(
    "KEYS_EXPOSED",
    `${file}: expected a file of mode 0600 that belongs to you, received ${received}. Run: chmod 600 ${file}`,
  );
}

/** A symlink in a repository must not make another file of the user a settings file. */
async function assertInside(file: string, folder: string): Promise<void> {
  const [real, root] = await Promise.all([realpath(file), realpath(folder)]);
  const relative = path.relative(root, real);
  if (relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
    throw unreadable(file, `a file inside ${root}, received a symlink to one outside`);
}

const unreadable = (file: string, expected: string, cause?: unknown): SettingsError =>
  new SettingsError("SETTINGS_UNREADABLE", `${file}: expected ${expected}. Replace or remove the file.`, {
    cause,
  });
