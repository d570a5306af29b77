import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { readStart, systemCode, type TextStart } from "../../store/files/index.ts";

/** Opening a FIFO does not block. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Whether an error says that a file or folder does not exist. */
export const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(systemCode(error));

/**
 * Read the beginning of a file that the user owns. Symlinks are followed: configuration is often linked from another
 * folder. Undefined if there is no regular file. Rejects if it can't be read.
 */
export async function readUserFile(file: string, maxBytes: number): Promise<TextStart | undefined> {
  try {
    await using handle = await open(file, READ_FLAGS);
    return await readStart(handle, maxBytes);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
