import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { readStart } from "../../store/files/read-start.ts";
import { systemCode } from "../../store/files/system-code.ts";
import { ToolError } from "../../tools/error.ts";
import { decodeText, EXPECTED_TEXT } from "../../tools/text-encoding.ts";

/** Opening a FIFO does not block. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Whether an error says that a file or folder does not exist. */
export const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(systemCode(error));

/** The beginning of a text file. */
interface TextStart {
  readonly text: string;
  /** Whether the file is longer. */
  readonly cut: boolean;
}

/**
 * Read the beginning of a text file that the user owns. Symlinks are followed: configuration is often linked from another
 * folder. Undefined if there is no regular file. Rejects if it can't be read, or is not text.
 */
export async function readUserFile(file: string, maxBytes: number): Promise<TextStart | undefined> {
  try {
    await using handle = await open(file, READ_FLAGS);
    const start = await readStart(handle, maxBytes);
    if (start === undefined) return undefined;
    const text = decodeText(start.bytes, start.cut);
    if (text === undefined) throw new ToolError("BINARY", `expected ${EXPECTED_TEXT}. Save it as UTF-8.`);
    return { text, cut: start.cut };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
