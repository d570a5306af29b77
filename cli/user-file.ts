import { writeFile } from "node:fs/promises";
import { PRIVATE_FILE } from "../store/files/data-folder.ts";
import { systemCode } from "../store/files/system-code.ts";
import { CliError, errorMessage } from "./error.ts";

/**
 * Write a file that the user named, readable by its owner only.
 *
 * @param options `force`: replace an existing file
 * @throws CliError for a file that exists, or that cannot be written
 */
export async function writeUserFile(
  file: string,
  content: string | Uint8Array,
  { force }: { readonly force: boolean },
): Promise<void> {
  try {
    await writeFile(file, content, { mode: PRIVATE_FILE, flag: force ? "w" : "wx" });
  } catch (error) {
    const problem =
      systemCode(error) === "EEXIST"
        ? "expected no file of that name, found one. Choose another name, or use --force to replace it."
        : `cannot be written (${errorMessage(error)}). Check the folder and its permissions.`;
    throw new CliError(`${file}: ${problem}`, { cause: error });
  }
}
