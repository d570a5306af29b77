import { createReadStream, readFileSync, writeSync } from "node:fs";
import { type FileHandle, open, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type {
  AppendOptions,
  JournalDriver,
  JournalGrowth,
  JournalPlace,
  PassiveStorage,
} from "../../ports/journal.ts";
import { createFolder } from "../files/create-folder.ts";
import { deletedMark, LOCK, PRIVATE_FILE, PRIVATE_FOLDER } from "../files/data-folder.ts";
import { syncFolders } from "../files/sync-folders.ts";
import { systemCode } from "../files/system-code.ts";
import { backUpTail } from "./backup.ts";
import { changedError, existsError, toJournalError } from "./error.ts";
import { wholeLines } from "./line-splitter.ts";
import { acquireLock, releaseLock } from "./lock.ts";
import { assertNotMoved } from "./moved.ts";
import { WriteQueue, type WriteTarget } from "./write-queue.ts";

export interface FileJournalOptions {
  /** The task's folder. It and its parents are created when the journal is first owned. */
  readonly dir: string;
  /** File name in the folder. Default `journal.jsonl`. The lock is per folder: keep one journal in each. */
  readonly file?: string;
}

/**
 * Create a driver for an append-only JSONL file (mode 0600). Appends that wait for a write share the next write and its
 * fdatasync. The first append, also after `release()`, opens the file. An incomplete last line is truncated before the
 * first append, with a backup `journal.jsonl.torn-<byte>`. A file `lock` in the folder excludes other drivers and
 * processes.
 */
export function fileJournal({ dir, file = "journal.jsonl" }: FileJournalOptions): JournalDriver {
  return new FileJournal(resolve(dir), file);
}

/** Bytes per read in the search for the last whole line. */
const TAIL_CHUNK_BYTES = 64 * 1024;
/** A passive task's copy of its messages, beside the journal. */
const PASSIVE_FILE = "passive.json";
/** Bytes per read of the whole file: larger chunks need fewer turns of the event loop. */
const READ_CHUNK_BYTES = 1024 * 1024;

/** It holds little: a host has one for each passive task. */
class FileJournal implements JournalDriver, WriteTarget {
  readonly #dir: string;
  readonly #file: string;
  readonly #queue = new WriteQueue(this);
  /** Nonce of the lock, once it was acquired. */
  #lock: string | undefined;
  /** Number of durable bytes; undefined until the file is first opened. */
  #length: number | undefined;
  #handle: FileHandle | undefined;
  /** Whether a failed write may have left bytes after the durable ones. */
  #isDirty = false;
  /** The topmost folder that was created for this file, until it is durable. */
  #firstFolder: string | undefined;
  #hasPassiveFile = false;

  constructor(dir: string, file: string) {
    this.#dir = dir;
    this.#file = file;
  }

  get path(): string {
    return join(this.#dir, this.#file);
  }

  get passive(): PassiveStorage {
    const file = join(this.#dir, PASSIVE_FILE);
    return {
      save: (content) =>
        this.#queue.run(async () => {
          this.#hasPassiveFile = true;
          await writeFile(file, content, { mode: PRIVATE_FILE });
        }),
      load: () => readIfPresent(file),
      read: () => readIfPresent(this.path) ?? new Uint8Array(),
    };
  }

  own(): Promise<void> {
    return this.#queue.run(() => this.#own());
  }

  append(lines: readonly string[], options?: AppendOptions): Promise<void> {
    return this.#queue.append(lines, options);
  }

  async *read(start = 0): AsyncGenerator<Uint8Array> {
    try {
      const options = { start, highWaterMark: READ_CHUNK_BYTES };
      for await (const chunk of createReadStream(this.path, options)) yield chunk;
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw toJournalError(this.path, error);
    }
  }

  async readAfter({ storage: known, bytes }: JournalPlace): Promise<JournalGrowth> {
    const { storage, size } = await this.#storage();
    const start = storage === known && size >= bytes ? bytes : 0;
    return { from: { storage, bytes: start }, chunks: this.read(start) };
  }

  /** The file, as long as it is not replaced, and its size. A missing one is empty. */
  async #storage(): Promise<{ readonly storage: string; readonly size: number }> {
    try {
      const { dev, ino, size } = await stat(this.path);
      return { storage: `${dev}:${ino}`, size };
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw toJournalError(this.path, error);
      return { storage: "", size: 0 };
    }
  }

  truncate(length: number): Promise<string> {
    return this.#queue.run(async () => {
      await this.cleanUp();
      const handle = await this.#openOwned();
      const { size: found } = await handle.stat();
      if (this.#length !== undefined) await this.#trim(handle, found);
      const size = this.#length ?? found;
      if (size < length) throw changedError(this.path, `at least ${length}`, size);
      const backup = await backUpTail(this.path, handle, length, size);
      // The new end may be inside a line: the next append searches for the last whole line.
      this.#length = undefined;
      await truncateTo(handle, length);
      await this.cleanUp();
      return backup;
    });
  }

  async hasDeleted(subtaskId: string): Promise<boolean> {
    const file = join(this.#dir, deletedMark(subtaskId));
    try {
      await stat(file);
      return true;
    } catch (error) {
      if (systemCode(error) === "ENOENT") return false;
      throw toJournalError(file, error);
    }
  }

  release(): Promise<void> {
    return this.#queue.enqueue(() => this.cleanUp());
  }

  close(): Promise<void> {
    return this.#queue.close(async () => {
      await this.cleanUp();
      if (this.#hasPassiveFile) await rm(join(this.#dir, PASSIVE_FILE), { force: true });
      if (this.#lock !== undefined) await releaseLock(join(this.#dir, LOCK), this.#lock);
    });
  }

  async write(lines: readonly string[], first: boolean): Promise<void> {
    const handle = await this.#open();
    if (first && this.#length !== 0) throw existsError(this.path);
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    this.#isDirty = true;
    // A copy to the page cache is cheaper on this thread than on the pool's; the sync is not.
    for (let from = 0; from < bytes.length; ) {
      const written = writeSync(handle.fd, bytes, from);
      if (written === 0) throw new Error(`${bytes.length - from} bytes were not written`);
      from += written;
    }
    await handle.datasync();
    this.#isDirty = false;
    this.#length = (this.#length ?? 0) + bytes.length;
  }

  async #own(): Promise<void> {
    const lock = join(this.#dir, LOCK);
    const acquire = async (): Promise<void> => {
      const nonce = await acquireLock(lock, this.path, this.#lock);
      try {
        if (nonce !== this.#lock) await assertNotMoved(this.path);
      } catch (error) {
        await releaseLock(lock, nonce);
        throw error;
      }
      this.#lock = nonce;
    };
    try {
      await acquire();
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
      const created = createFolder(this.#dir, PRIVATE_FOLDER);
      this.#firstFolder ??= created;
      await acquire();
    }
  }

  async #open(): Promise<FileHandle> {
    if (this.#handle !== undefined) return this.#handle;
    const handle = await this.#openOwned();
    const { size } = await handle.stat();
    // An empty file may be new, also after an earlier sync of its folder failed.
    if (size === 0) await syncFolders(this.#dir, this.#firstFolder);
    this.#firstFolder = undefined;
    await this.#trim(handle, size);
    return handle;
  }

  /** Verifies the lock each time: it may have been removed while the file was closed. */
  async #openOwned(): Promise<FileHandle> {
    await this.#own();
    const handle = await open(this.path, "a+", PRIVATE_FILE);
    this.#handle = handle;
    return handle;
  }

  /** Keeps only durable lines: a failed sync may have dropped pages, so the bytes after them are written again. */
  async #trim(handle: FileHandle, size: number): Promise<void> {
    const length = this.#length ?? (await wholeLinesOf(handle, size));
    if (size < length || (size > length && this.#length !== undefined && !this.#isDirty))
      throw changedError(this.path, `${length}`, size);
    // Only bytes of another writer need a backup: this driver writes its own again.
    if (size > length && this.#length === undefined) await backUpTail(this.path, handle, length, size);
    if (size > length) await truncateTo(handle, length);
    this.#length = length;
    this.#isDirty = false;
  }

  /** Close the file. */
  async cleanUp(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}

/** @throws JournalError */
function readIfPresent(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw toJournalError(file, error);
  }
}

async function truncateTo(handle: FileHandle, length: number): Promise<void> {
  await handle.truncate(length);
  await handle.datasync();
}

/** Number of bytes of whole lines, found from the end of the file. */
async function wholeLinesOf(handle: FileHandle, size: number): Promise<number> {
  const chunk = Buffer.alloc(Math.min(size, TAIL_CHUNK_BYTES));
  for (let end = size; end > 0; ) {
    const from = Math.max(end - chunk.length, 0);
    const { bytesRead } = await handle.read(chunk, 0, end - from, from);
    const whole = wholeLines(chunk.subarray(0, bytesRead));
    if (whole > 0) return from + whole;
    end = from;
  }
  return 0;
}
