import { createReadStream, writeSync } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { AppendOptions, JournalDriver } from "./driver.ts";
import { closedError, existsError, JournalError, systemCode, toJournalError } from "./error.ts";
import { wholeLines } from "./whole-lines.ts";

export interface FileJournalOptions {
  /** The task's folder. It and its parents are made with the first record. */
  readonly dir: string;
  /** The file's name in it. Default `journal.jsonl`. */
  readonly file?: string;
}

/**
 * One append-only JSONL file. Whatever waits while a write is in flight goes into the next write and its one
 * fdatasync. The file is opened by the first append and after a `rest()`; until then no handle is held.
 * Readable by its owner only. A last line without its end is cut before the first append.
 */
export function fileJournal({ dir, file = "journal.jsonl" }: FileJournalOptions): JournalDriver {
  return new FileJournal(resolve(dir, file));
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** How much of a file's end is looked at, at a time, for its last whole line. */
const TAIL_PIECE = 64 * 1024;

class FileJournal implements JournalDriver {
  readonly path: string;
  /** How many bytes are durable; unknown until the file was first opened. */
  #length: number | undefined;
  #handle: FileHandle | undefined;
  /** A failed write may have left bytes behind the durable ones. */
  #soiled = false;
  /** The topmost folder that was made for this file. */
  #firstFolder: string | undefined;
  #closed = false;
  #waiting: string[] = [];
  /** What waits begins the journal. */
  #first = false;
  #next: Promise<void> | undefined;
  /** Why the writes that waited behind a failed one fail too. */
  #hole: JournalError | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.path = path;
  }

  append(lines: readonly string[], options?: AppendOptions): Promise<void> {
    if (this.#closed) return Promise.reject(closedError(this.path));
    this.#first ||= options?.first === true;
    for (const line of lines) this.#waiting.push(line);
    this.#next ??= this.#inTurn(() => this.#write());
    return this.#next;
  }

  async *read(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of createReadStream(this.path)) yield chunk;
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw toJournalError(this.path, error);
    }
  }

  truncate(length: number): Promise<void> {
    return this.#inTurn(async () => {
      const handle = await this.#open();
      await handle.truncate(length);
      this.#length = length;
      await handle.datasync();
    });
  }

  rest(): Promise<void> {
    return this.#inTurn(() => this.#letGo());
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#inTurn(() => this.#letGo());
  }

  /** One thing at a time, in the order asked for; a failed one leaves no handle behind. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#last.then(async () => {
      try {
        await act();
      } catch (error) {
        throw await this.#abandon(error);
      }
    });
    this.#last = done.then(ignore, ignore);
    return done;
  }

  async #write(): Promise<void> {
    const lines = this.#waiting;
    const first = this.#first;
    const hole = this.#hole;
    this.#waiting = [];
    this.#first = false;
    this.#next = undefined;
    this.#hole = undefined;
    if (hole !== undefined) throw hole;
    if (lines.length === 0) return;
    const handle = await this.#open();
    if (first && this.#length !== 0) throw existsError(this.path);
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    this.#soiled = true;
    // Into the page cache: copying a batch is cheaper than handing it to another thread. The sync is not.
    for (let from = 0; from < bytes.length; ) from += writeSync(handle.fd, bytes, from);
    await handle.datasync();
    this.#soiled = false;
    this.#length = (this.#length ?? 0) + bytes.length;
  }

  async #open(): Promise<FileHandle> {
    if (this.#handle !== undefined) return this.#handle;
    const handle = await this.#openFile();
    this.#handle = handle;
    const { size } = await handle.stat();
    // An empty file may be a new one, also when the sync of its folder failed the time before.
    if (size === 0) await syncFolders(dirname(this.path), this.#firstFolder);
    await this.#trim(handle, size);
    return handle;
  }

  async #openFile(): Promise<FileHandle> {
    try {
      return await open(this.path, "a+", PRIVATE_FILE);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
      const made = await mkdir(dirname(this.path), { recursive: true, mode: PRIVATE_FOLDER });
      this.#firstFolder ??= made;
      return await open(this.path, "a+", PRIVATE_FILE);
    }
  }

  /** Leaves the durable lines only. A sync that failed may have dropped what it did not write: cut, write again. */
  async #trim(handle: FileHandle, size: number): Promise<void> {
    const length = this.#length ?? (await wholeLinesOf(handle, size));
    if (size < length || (size > length && this.#length !== undefined && !this.#soiled)) {
      throw new JournalError(
        "JOURNAL_CHANGED",
        this.path,
        `Expected ${length} bytes, found ${size}: something else wrote to it. Close the task and open it again.`,
      );
    }
    if (size > length) {
      await handle.truncate(length);
      await handle.datasync();
    }
    this.#length = length;
    this.#soiled = false;
  }

  async #letGo(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #abandon(error: unknown): Promise<JournalError> {
    const problem = toJournalError(this.path, error);
    // The write's own error is the one to tell; closing after it can add nothing.
    await this.#letGo().catch(ignore);
    if (this.#next !== undefined) this.#hole = problem;
    return problem;
  }
}

const ignore = (): void => {};

/** Makes a new file's name durable, and the names of the folders from `first` on that were made for it. */
async function syncFolders(folder: string, first: string | undefined): Promise<void> {
  // Windows can't open a folder; there the file system's own journal keeps the names.
  if (process.platform === "win32") return;
  const top = first === undefined ? folder : dirname(first);
  for (let current = folder; ; current = dirname(current)) {
    const handle = await open(current, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (current === top || current === dirname(current)) return;
  }
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
