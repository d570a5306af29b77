import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../files/replace-file.ts";
import { syncFolders } from "../files/sync-folders.ts";
import { systemCode } from "../files/system-code.ts";
import { toHistoryError } from "./error.ts";
import { TITLE } from "./task-folder.ts";
import { NAME_CHARS_MAX, titleOf } from "./title.ts";

/** Write the name of a task to a file beside its journal, or remove it. @throws TaskHistoryError `HISTORY_IO` */
export async function writeName(folder: string, name: string | undefined): Promise<void> {
  const filePath = path.join(folder, TITLE);
  try {
    if (name === undefined) await rm(filePath, { force: true });
    else await replaceFile(filePath, `${name}\n`);
    await syncFolders(folder);
  } catch (error) {
    throw toHistoryError(filePath, error);
  }
}

/** Read the name of a task, if any. @throws TaskHistoryError `HISTORY_IO` */
export async function readName(folder: string): Promise<string | undefined> {
  const filePath = path.join(folder, TITLE);
  try {
    const name = titleOf(await readFile(filePath, "utf8"), NAME_CHARS_MAX);
    return name === "" ? undefined : name;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw toHistoryError(filePath, error);
  }
}
