import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../store/files/index.ts";
import { ToolError } from "../../tools/index.ts";
import { type OpenPath, systemError } from "./open-path.ts";

/** A file in its folder, which is held open; undefined: there is none. A symlink is not followed. */
export async function targetIn(folder: OpenPath, name: string, named: string): Promise<Stats | undefined> {
  if (!(await folder.handle.stat()).isDirectory()) throw notAFolder(named);
  return lstat(path.join(folder.via, name)).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw systemError(error, named);
  });
}

export function notAFolder(named: string): ToolError {
  return new ToolError("not_a_folder", `A part of '${named}' is a file: expected folders above the file.`);
}

export function danglingLink(named: string): ToolError {
  return new ToolError(
    "not_a_file",
    `'${named}' is a symlink to a file that does not exist: expected a file. Write to its target.`,
  );
}
