import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { messageOf } from "../../../tools/error.ts";
import { RunError } from "../run-error.ts";

/**
 * Copy folders into a new folder. The returned function gives them this content again, as often as it is called. Links,
 * times, permissions and pipes stay what they are, which the copy of Node.js does not do.
 *
 * @param folders with different names
 * @throws RunError `PREFIX_FAILED` where the policy has removed a folder, or left a file in it that can't be read
 */
export async function snapshotOf(folders: readonly string[], into: string): Promise<() => Promise<void>> {
  await mkdir(into);
  for (const folder of folders) await copy(folder, path.join(into, path.basename(folder)));
  return async () => {
    for (const folder of folders) {
      await rm(folder, { recursive: true, force: true });
      await copy(path.join(into, path.basename(folder)), folder);
    }
  };
}

/** Copy a folder to a path where there is none. */
async function copy(from: string, to: string): Promise<void> {
  try {
    await promisify(execFile)("cp", ["-a", from, to]);
  } catch (cause) {
    throw new RunError(
      "PREFIX_FAILED",
      `${from}: expected a folder that can be copied after the prefix, got ${messageOf(cause).trim()}. Run this setting without --prefix, or in a sandbox.`,
      { cause },
    );
  }
}
