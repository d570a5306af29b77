import { cp, lstat } from "node:fs/promises";

/**
 * Copy a folder to one that may be empty or absent. Links are copied as they are, so that a relative one leads to the copy;
 * pipes and sockets are not copied.
 */
export const copyFolder = (from: string, to: string): Promise<void> =>
  cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: async (source) => {
      const found = await lstat(source);
      return found.isFile() || found.isDirectory() || found.isSymbolicLink();
    },
  });
