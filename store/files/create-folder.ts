import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { systemCode } from "./system-code.ts";

/**
 * Create a folder and its missing parents. Returns the topmost new one. Unlike Node's recursive mkdir, it ends where the
 * file system can't create a folder in an existing one, as in `/proc`.
 *
 * @throws the error of the system, which names the folder that could not be created
 */
export function createFolder(folder: string, mode: number): string | undefined {
  const missing = missingFolders(path.resolve(folder));
  for (const each of missing) {
    try {
      mkdirSync(each, { mode });
    } catch (error) {
      // Another process may have created it in the meantime.
      if (systemCode(error) !== "EEXIST") throw error;
    }
  }
  return missing[0];
}

/** From the topmost on. */
function missingFolders(folder: string): readonly string[] {
  const missing: string[] = [];
  for (let each = folder; !existsSync(each) && each !== path.dirname(each); each = path.dirname(each))
    missing.unshift(each);
  return missing;
}
