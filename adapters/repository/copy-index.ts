import { copyFile, stat, utimes } from "node:fs/promises";
import { systemCode } from "../../store/files/system-code.ts";

/** A copied index gets an mtime that is this much older: git then rereads files written around that time. */
const COPY_OLDER_MS = 10;

/** Copies an index of git, so that what is staged in the copy does not change the original. @returns whether it exists */
export async function copyIndex(from: string, to: string): Promise<boolean> {
  try {
    const { atimeMs, mtimeMs } = await stat(from);
    await copyFile(from, to);
    await utimes(to, atimeMs / 1000, (mtimeMs - COPY_OLDER_MS) / 1000);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}
