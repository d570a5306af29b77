import { type FileHandle, open, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { PRIVATE_FILE, syncFolders, systemCode } from "../files/index.ts";

const COPY_PIECE = 1024 * 1024;

/**
 * Copies what stands in a journal's file from byte `from` up to `size` to a new file beside it. Durable when it
 * resolves with that file's path.
 */
export async function keepAside(
  path: string,
  handle: FileHandle,
  from: number,
  size: number,
): Promise<string> {
  const { place, copy } = await openNew(`${path}.torn-${from}`);
  try {
    try {
      await copyBytes(handle, copy, from, size);
      await copy.sync();
    } finally {
      await copy.close();
    }
  } catch (error) {
    // Half a copy helps nobody; the journal still has all of it.
    await unlink(place).catch(() => undefined);
    throw error;
  }
  await syncFolders(dirname(place));
  return place;
}

/** A name that nothing has yet: what was kept before stays. */
async function openNew(name: string): Promise<{ readonly place: string; readonly copy: FileHandle }> {
  for (let number = 1; ; number += 1) {
    const place = number === 1 ? name : `${name}.${number}`;
    try {
      return { place, copy: await open(place, "wx", PRIVATE_FILE) };
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  }
}

async function copyBytes(from: FileHandle, to: FileHandle, start: number, end: number): Promise<void> {
  const piece = Buffer.alloc(Math.min(end - start, COPY_PIECE));
  for (let at = start; at < end; ) {
    const { bytesRead } = await from.read(piece, 0, Math.min(piece.length, end - at), at);
    if (bytesRead === 0) return;
    await to.writeFile(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
}
