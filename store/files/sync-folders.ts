import { open } from "node:fs/promises";
import { dirname } from "node:path";

/** Sync the folder of a new file, and its parents up to the parent of `first`, the topmost new folder. */
export async function syncFolders(folder: string, first?: string): Promise<void> {
  // Windows cannot open a folder; its file system journals the names.
  if (process.platform === "win32") return;
  const top = first === undefined ? folder : dirname(first);
  for (let current = folder; ; current = dirname(current)) {
    const handle = await open(current, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (current === top || current === dirname(current)) return;
  }
}
