import { type FileHandle, open, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { PRIVATE_FILE } from "../files/data-folder.ts";
import { syncFolders } from "../files/sync-folders.ts";
import { systemCode } from "../files/system-code.ts";

const CHUNK_BYTES = 1024 * 1024;

/** A source of bytes: an open file. */
export interface ByteSource {
  read(
    into: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
}

/**
 * Copy bytes `from` to `size` of a journal's file to a new file beside it. Resolves with the path of the copy once it
 * is durable.
 */
export async function backUpTail(
  path: string,
  handle: ByteSource,
  from: number,
  size: number,
): Promise<string> {
  const { copyPath, copy } = await openNew(`${path}.torn-${from}`);
  try {
    try {
      await copyBytes(handle, copy, from, size);
      await copy.sync();
    } finally {
      await copy.close();
    }
  } catch (error) {
    // The journal still has all bytes: a partial copy is useless.
    await unlink(copyPath).catch(() => undefined);
    throw error;
  }
  await syncFolders(dirname(copyPath));
  return copyPath;
}

/** Create a file under a free name: earlier backups stay. */
async function openNew(name: string): Promise<{ readonly copyPath: string; readonly copy: FileHandle }> {
  for (let number = 1; ; number += 1) {
    const copyPath = number === 1 ? name : `${name}.${number}`;
    try {
      return { copyPath, copy: await open(copyPath, "wx", PRIVATE_FILE) };
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  }
}

async function copyBytes(from: ByteSource, to: FileHandle, start: number, end: number): Promise<void> {
  const chunk = Buffer.alloc(Math.min(end - start, CHUNK_BYTES));
  for (let at = start; at < end; ) {
    const { bytesRead } = await from.read(chunk, 0, Math.min(chunk.length, end - at), at);
    if (bytesRead === 0) return;
    await to.writeFile(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
}
