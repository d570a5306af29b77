import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { isWritable } from "../../store/files/replace-content.ts";
import { systemCode } from "../../store/files/system-code.ts";
import { ToolError } from "../../tools/error.ts";
import { type OpenPath, systemError } from "./open-path.ts";

/** A file in its folder, which is held open; undefined: there is none. A symlink is not followed. */
export async function targetIn(folder: OpenPath, name: string, named: string): Promise<Stats | undefined> {
  if (!(await folder.handle.stat()).isDirectory()) throw notAFolder(named);
  return lstat(path.join(folder.via, name)).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw systemError(error, named);
  });
}

/** @throws ToolError `READ_ONLY` */
export async function assertWritableFile(file: string, named: string): Promise<void> {
  const isAllowed = await isWritable(file).catch((error: unknown) => {
    throw systemError(error, named);
  });
  if (isAllowed) return;
  throw new ToolError(
    "READ_ONLY",
    `'${named}' is read-only: expected a file that this user may write. It was left as it is. Ask the user to change its permissions.`,
  );
}

export function notAFolder(named: string): ToolError {
  return new ToolError("NOT_A_FOLDER", `A part of '${named}' is a file: expected folders above the file.`);
}

export function danglingLink(named: string): ToolError {
  return new ToolError(
    "NOT_A_FILE",
    `'${named}' is a symlink to a file that does not exist: expected a file. Write to its target.`,
  );
}
