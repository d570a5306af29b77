import type { FileHandle } from "node:fs/promises";

/** The beginning of a text file. */
export interface TextStart {
  readonly text: string;
  /** Whether the file is longer. */
  readonly cut: boolean;
}

/** Read at most `maxBytes` of an open file, up to a character boundary. Undefined if it is not a regular file. */
export async function readStart(handle: FileHandle, maxBytes: number): Promise<TextStart | undefined> {
  const stats = await handle.stat();
  if (!stats.isFile()) return undefined;
  const buffer = Buffer.alloc(Math.min(maxBytes, stats.size));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  // In stream mode, a character that is split by the limit is dropped.
  const text = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: true });
  return { text, cut: stats.size > bytesRead };
}
