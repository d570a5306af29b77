import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { ToolError } from "../../tools/index.ts";
import { failure, notAFile, type Opened } from "./opened.ts";
import type { Place } from "./place.ts";

const CHUNK_BYTES = 64 * 1024;

/**
 * The bytes of a file that is held open.
 *
 * @throws ToolError `not_a_file`, `too_large`, `failed`
 */
export async function readOpened(
  place: Place,
  file: Opened,
  named: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const stat = await file.handle.stat();
  if (!stat.isFile()) throw notAFile(named);
  if (stat.size > maxBytes) throw tooLarge(named, stat.size, maxBytes);
  if (place.check === "paths") return readAll(file.handle, stat.size, named, maxBytes);
  let reading: FileHandle;
  try {
    // The same file, by its descriptor: its path may lead elsewhere by now.
    reading = await open(file.via, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw failure(error, named);
  }
  try {
    return await readAll(reading, stat.size, named, maxBytes);
  } finally {
    await reading.close();
  }
}

async function readAll(
  handle: FileHandle,
  size: number,
  named: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  // A file may be longer than it said: it grows, or it is one that the kernel makes up.
  for (;;) {
    const chunk = new Uint8Array(Math.max(CHUNK_BYTES, size - total));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null).catch((error: unknown) => {
      throw failure(error, named);
    });
    if (bytesRead === 0) return Buffer.concat(chunks, total);
    total += bytesRead;
    if (total > maxBytes) throw tooLarge(named, total, maxBytes);
    chunks.push(chunk.subarray(0, bytesRead));
  }
}

export function tooLarge(named: string, bytes: number, maxBytes: number): ToolError {
  return new ToolError(
    "too_large",
    `'${named}' has ${bytes} bytes: expected at most ${maxBytes}. Use a command for a part of it.`,
  );
}
