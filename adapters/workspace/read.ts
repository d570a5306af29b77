import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type FileStart, readStart } from "../../store/files/read-start.ts";
import { ToolError } from "../../tools/error.ts";
import type { Confinement } from "./confinement.ts";
import { notAFile, type OpenPath, systemError } from "./open-path.ts";

const CHUNK_BYTES = 64 * 1024;

/** Reads an open file. @throws ToolError `NOT_A_FILE`, `TOO_LARGE`, `FAILED` */
export async function readOpen(
  { check }: Confinement,
  file: OpenPath,
  named: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const stat = await file.handle.stat();
  if (!stat.isFile()) throw notAFile(named);
  if (stat.size > maxBytes) throw tooLarge(named, stat.size, maxBytes);
  if (check === "paths") return readAll(file.handle, stat.size, named, maxBytes);
  await using readable = await openReadable(file, named);
  return await readAll(readable, stat.size, named, maxBytes);
}

/** Reads the beginning of an open file. Undefined if it is not a regular file. @throws ToolError `FAILED` */
export async function readOpenStart(
  { check }: Confinement,
  file: OpenPath,
  named: string,
  maxBytes: number,
): Promise<FileStart | undefined> {
  if (check === "paths") return readStart(file.handle, maxBytes);
  if (!(await file.handle.stat()).isFile()) return undefined;
  await using readable = await openReadable(file, named);
  return await readStart(readable, maxBytes);
}

/** Reads a part of an open file: fewer bytes at its end. @throws ToolError `FAILED` */
export async function readOpenPart(
  { check }: Confinement,
  file: OpenPath,
  named: string,
  { offset, bytes }: { readonly offset: number; readonly bytes: number },
): Promise<Uint8Array> {
  const read = async (handle: FileHandle): Promise<Uint8Array> => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, offset);
    return buffer.subarray(0, bytesRead);
  };
  if (check === "paths") return read(file.handle);
  await using readable = await openReadable(file, named);
  return await read(readable);
}

/** The same file, by its descriptor: its path may lead elsewhere by now. */
function openReadable(file: OpenPath, named: string): Promise<FileHandle> {
  return open(file.via, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw systemError(error, named);
  });
}

async function readAll(
  handle: FileHandle,
  size: number,
  named: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  // A file may be longer than its size: it grows, or the kernel generates it.
  for (;;) {
    const chunk = new Uint8Array(Math.max(CHUNK_BYTES, size - total));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null).catch((error: unknown) => {
      throw systemError(error, named);
    });
    if (bytesRead === 0) return Buffer.concat(chunks, total);
    total += bytesRead;
    if (total > maxBytes) throw tooLarge(named, total, maxBytes);
    chunks.push(chunk.subarray(0, bytesRead));
  }
}

export function tooLarge(named: string, bytes: number, maxBytes: number): ToolError {
  return new ToolError(
    "TOO_LARGE",
    `'${named}' has ${bytes} bytes: expected at most ${maxBytes}. Use a command for a part of it.`,
  );
}
