import { randomUUID } from "node:crypto";
import { readSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FILE } from "./data-folder.ts";
import { FileSpace } from "./file-space.ts";

/** A content of a {@link TemporaryFile}. */
export interface TemporaryContent {
  /** Read the content. Throws a system error, also after the file was closed. */
  read(): Uint8Array;
  /** Free its space, once. */
  remove(): void;
}

/**
 * A file without a name, for contents that nobody needs after this process: no other program can open it, and the system
 * removes it when the process ends.
 */
export class TemporaryFile {
  readonly #folder: string;
  readonly #space = new FileSpace();
  #handle: Promise<FileHandle> | undefined;
  #isClosed = false;

  /** `folder`: a folder that exists. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Create the file, unless that was done. If it fails, the next use tries again. */
  async open(): Promise<FileHandle> {
    if (this.#isClosed) throw new Error("Expected an open file: it was closed.");
    const opened = this.#handle ?? createUnnamed(this.#folder);
    this.#handle = opened;
    try {
      return await opened;
    } catch (error) {
      if (this.#handle === opened) this.#handle = undefined;
      throw error;
    }
  }

  /** Write a content. If that fails, other contents stay as they are. */
  async write(content: Uint8Array): Promise<TemporaryContent> {
    const handle = await this.open();
    const { length } = content;
    const place = this.#space.take(length);
    const remove = (): void => this.#space.give(place, length);
    try {
      for (let from = 0; from < length; ) {
        const { bytesWritten } = await handle.write(content, from, length - from, place + from);
        if (bytesWritten === 0) throw new Error(`${length - from} bytes were not written`);
        from += bytesWritten;
      }
    } catch (error) {
      remove();
      throw error;
    }
    return { read: () => readAt(handle.fd, place, length), remove };
  }

  /** Remove the file. Its contents can't be read any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const handle = await this.#handle?.catch(() => undefined);
    await handle?.close();
  }
}

async function createUnnamed(folder: string): Promise<FileHandle> {
  const file = join(folder, `signalbox-${randomUUID()}`);
  const handle = await open(file, "wx+", PRIVATE_FILE);
  try {
    await rm(file);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return handle;
}

function readAt(fd: number, place: number, length: number): Uint8Array {
  const content = new Uint8Array(length);
  for (let from = 0; from < length; ) {
    const bytes = readSync(fd, content, from, length - from, place + from);
    if (bytes === 0) throw new Error(`${length - from} bytes are missing`);
    from += bytes;
  }
  return content;
}
