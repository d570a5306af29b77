import { open } from "node:fs/promises";
import { dirname } from "node:path";

/** Makes a new file's name durable, and the names of the folders from `first` on that were made for it. */
export async function syncFolders(folder: string, first?: string): Promise<void> {
  // Windows can't open a folder; there the file system's own journal keeps the names.
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
