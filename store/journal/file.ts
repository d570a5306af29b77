import { createReadStream, writeSync } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { LOCK, PRIVATE_FILE, PRIVATE_FOLDER, syncFolders, systemCode } from "../files/index.ts";
import { keepAside } from "./backup.ts";
import type { AppendOptions, JournalDriver } from "./driver.ts";
import { changedError, existsError, toJournalError } from "./error.ts";
import { wholeLines } from "./line-splitter.ts";
import { FileLock } from "./lock.ts";
import { Turns } from "./write-queue.ts";

export interface FileJournalOptions {
  /** The task's folder. It and its parents are made when the journal is first owned. */
  readonly dir: string;
  /** The file's name in it. Default `journal.jsonl`. The lock is the folder's: keep one journal in each. */
  readonly file?: string;
}

/**
 * One append-only JSONL file. Whatever waits while a write is in flight goes into the next write and its one
 * fdatasync. The file is opened by the first append and after a `rest()`; until then no handle is held.
 * Readable by its owner only. A last line without its end is cut before the first append, and kept beside the
 * file as `journal.jsonl.torn-<byte>`. A file `lock` in the folder keeps every other driver and process out.
 */
export function fileJournal({ dir, file = "journal.jsonl" }: FileJournalOptions): JournalDriver {
  return new FileJournal(resolve(dir, file));
}

/** How much of a file's end is looked at, at a time, for its last whole line. */
const TAIL_PIECE = 64 * 1024;
/** How much is read at a time: larger pieces cost fewer turns of the event loop. */
const READ_PIECE = 1024 * 1024;

class FileJournal implements JournalDriver {
  readonly path: string;
  readonly #lock: FileLock;
  readonly #turns: Turns;
  /** How many bytes are durable; unknown until the file was first opened. */
  #length: number | undefined;
  #handle: FileHandle | undefined;
  /** A failed write may have left bytes behind the durable ones. */
  #soiled = false;
  /** The topmost folder that was made for this file. */
  #firstFolder: string | undefined;

  constructor(path: string) {
    this.path = path;
    this.#lock = new FileLock(join(dirname(path), LOCK), path);
    this.#turns = new Turns({
      path,
      write: (lines, first) => this.#write(lines, first),
      abandon: () => this.#letGo(),
    });
  }

  own(): Promise<void> {
    return this.#turns.take(() => this.#own());
  }

  append(lines: readonly string[], options?: AppendOptions): Promise<void> {
    return this.#turns.append(lines, options);
  }

  async *read(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of createReadStream(this.path, { highWaterMark: READ_PIECE })) yield chunk;
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw toJournalError(this.path, error);
    }
  }

  cut(length: number): Promise<string> {
    return this.#turns.take(async () => {
      await this.#letGo();
      const handle = await this.#openOwned();
      const { size: found } = await handle.stat();
      if (this.#length !== undefined) await this.#trim(handle, found);
      const size = this.#length ?? found;
      if (size < length) throw changedError(this.path, `at least ${length}`, size);
      const place = await keepAside(this.path, handle, length, size);
      // The next append looks at the file again: the cut may be in the middle of a line.
      this.#length = undefined;
      await cutTo(handle, length);
      await this.#letGo();
      return place;
    });
  }

  rest(): Promise<void> {
    return this.#turns.inTurn(() => this.#letGo());
  }

  close(): Promise<void> {
    return this.#turns.close(async () => {
      await this.#letGo();
      await this.#lock.release();
    });
  }

  async #write(lines: readonly string[], first: boolean): Promise<void> {
    const handle = await this.#open();
    if (first && this.#length !== 0) throw existsError(this.path);
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    this.#soiled = true;
    // Into the page cache: copying a batch is cheaper than handing it to another thread. The sync is not.
    for (let from = 0; from < bytes.length; ) {
      const written = writeSync(handle.fd, bytes, from);
      if (written === 0) throw new Error(`${bytes.length - from} bytes were not taken`);
      from += written;
    }
    await handle.datasync();
    this.#soiled = false;
    this.#length = (this.#length ?? 0) + bytes.length;
  }

  async #own(): Promise<void> {
    try {
      await this.#lock.take();
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
      const made = await mkdir(dirname(this.path), { recursive: true, mode: PRIVATE_FOLDER });
      this.#firstFolder ??= made;
      await this.#lock.take();
    }
  }

  async #open(): Promise<FileHandle> {
    if (this.#handle !== undefined) return this.#handle;
    const handle = await this.#openOwned();
    const { size } = await handle.stat();
    // An empty file may be a new one, also when the sync of its folder failed the time before.
    if (size === 0) await syncFolders(dirname(this.path), this.#firstFolder);
    await this.#trim(handle, size);
    return handle;
  }

  /** The lock is looked at each time, so that one that was taken away while the task rested is noticed. */
  async #openOwned(): Promise<FileHandle> {
    await this.#own();
    const handle = await open(this.path, "a+", PRIVATE_FILE);
    this.#handle = handle;
    return handle;
  }

  /** Leaves the durable lines only. A sync that failed may have dropped what it did not write: cut, write again. */
  async #trim(handle: FileHandle, size: number): Promise<void> {
    const length = this.#length ?? (await wholeLinesOf(handle, size));
    if (size < length || (size > length && this.#length !== undefined && !this.#soiled))
      throw changedError(this.path, `${length}`, size);
    // What this driver left itself is written again whole; what it found is somebody's only copy.
    if (size > length && this.#length === undefined) await keepAside(this.path, handle, length, size);
    if (size > length) await cutTo(handle, length);
    this.#length = length;
    this.#soiled = false;
  }

  async #letGo(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}

async function cutTo(handle: FileHandle, length: number): Promise<void> {
  await handle.truncate(length);
  await handle.datasync();
}

/** How many bytes of the file are whole lines. Looks only at its end. */
async function wholeLinesOf(handle: FileHandle, size: number): Promise<number> {
  const piece = Buffer.alloc(Math.min(size, TAIL_PIECE));
  for (let end = size; end > 0; ) {
    const from = Math.max(end - piece.length, 0);
    const { bytesRead } = await handle.read(piece, 0, end - from, from);
    const whole = wholeLines(piece.subarray(0, bytesRead));
    if (whole > 0) return from + whole;
    end = from;
  }
  return 0;
}
