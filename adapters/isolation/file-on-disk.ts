import { lstat, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../store/files/system-code.ts";
import type { FileState } from "./file-state.ts";

/** Bits of a mode that permit execution. */
const EXECUTABLE = 0o111;

/** The state of a file on disk now. Symlinks are not followed. */
export async function fileOnDisk(folder: string, name: string): Promise<FileState> {
  const absolute = path.join(folder, ...name.split("/"));
  try {
    const found = await lstat(absolute);
    if (found.isFile())
      return {
        kind: "file",
        isExecutable: (found.mode & EXECUTABLE) !== 0,
        read: () => readFile(absolute),
      };
    if (found.isSymbolicLink())
      return { kind: "link", isExecutable: false, read: () => readlink(absolute, { encoding: "buffer" }) };
    return { kind: "other", isExecutable: false, read: async () => Buffer.from("") };
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return null;
    throw error;
  }
}
