import type { FileHandle } from "node:fs/promises";

/** The beginning of a file. */
export interface FileStart {
  readonly bytes: Uint8Array;
  /** Whether the file is longer. */
  readonly cut: boolean;
}

/** Read at most `maxBytes` of an open file. Undefined if it is not a regular file. */
export async function readStart(handle: FileHandle, maxBytes: number): Promise<FileStart | undefined> {
  const stats = await handle.stat();
  if (!stats.isFile()) return undefined;
  const buffer = Buffer.alloc(Math.min(maxBytes, stats.size));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  return { bytes: buffer.subarray(0, bytesRead), cut: stats.size > bytesRead };
}
