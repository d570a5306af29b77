import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { syncFolders, systemCode } from "../files/index.ts";
import { backUpTail, LineSplitter } from "../journal/index.ts";
import { comparePositions, type LedgerEntry, type LedgerPosition } from "./entry.ts";
import { LedgerError, toLedgerError } from "./error.ts";
import { decodeLedgerLine, encodeEntry } from "./line.ts";
import { type LockOptions, withLock } from "./lock.ts";

/** The folder in a workspace that has its ledger. Without it nothing is recorded. */
const LEDGER_FOLDER = ".orchestration";
/** Name of the ledger in its folder. */
const LEDGER_FILE = "agent_trace.jsonl";
const LOCK_FILE = "agent_trace.lock";
const FILE_MODE = 0o644;

/** Path of a workspace's ledger. */
export const ledgerPath = (workspace: string): string => join(workspace, LEDGER_FOLDER, LEDGER_FILE);

/** Whether a workspace has a folder for its ledger. */
export async function hasLedgerFolder(workspace: string): Promise<boolean> {
  try {
    // A symlink leads to the ledger of another workspace.
    return (await lstat(join(workspace, LEDGER_FOLDER))).isDirectory();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw toLedgerError(workspace, error);
  }
}

/** The end of a task's chain of lines. */
interface Head {
  /** Of its last line in the file. */
  readonly hash: string;
  /** Of its newest line. */
  readonly newest: LedgerPosition;
}

/** The ledger while it is locked. */
export interface LockedLedger {
  /** The newest line of a task; undefined if it has none. */
  newest(task: string): LedgerPosition | undefined;
  /** Append the entries of a task; durable when it resolves. */
  append(task: string, entries: readonly LedgerEntry[]): Promise<void>;
}

/** The part of the file that was read. */
interface ReadPart {
  readonly inode: number;
  readonly bytes: number;
  /** The bytes of its last line. */
  readonly last: Uint8Array;
  readonly heads: Map<string, Head>;
}

/** The ledger of a workspace. Each process has one object for it, which reads only what others appended. */
export class LedgerFile {
  readonly path: string;
  readonly #workspace: string;
  readonly #options: LockOptions;
  #read: ReadPart | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(workspace: string, options: LockOptions) {
    this.path = ledgerPath(workspace);
    this.#workspace = workspace;
    this.#options = options;
  }

  /** Whether the workspace has a folder for it. */
  isOn(): Promise<boolean> {
    return hasLedgerFolder(this.#workspace);
  }

  /**
   * Lock the ledger for `work`, one after the other. An incomplete last line, which a killed process left, is cut off
   * and kept beside it.
   *
   * @throws LedgerError `LEDGER_LOCKED`, `LEDGER_IO`
   */
  update<T>(work: (ledger: LockedLedger) => Promise<T>): Promise<T> {
    const update = this.#queue.then(() => this.#update(work));
    this.#queue = update.catch(() => undefined);
    return update;
  }

  async #update<T>(work: (ledger: LockedLedger) => Promise<T>): Promise<T> {
    try {
      const lock = join(this.#workspace, LEDGER_FOLDER, LOCK_FILE);
      return await withLock(lock, this.#options, async () => {
        await using handle = await this.#open();
        const { heads } = await this.#refresh(handle);
        return await work({
          newest: (task) => heads.get(task)?.newest,
          append: (task, entries) => this.#append(handle, task, entries),
        });
      });
    } catch (error) {
      throw toLedgerError(this.path, error);
    }
  }

  async #open(): Promise<FileHandle> {
    const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
    const handle = await open(this.path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, FILE_MODE);
    const stat = await handle.stat();
    if (stat.isFile()) {
      if (stat.size === 0) await syncFolders(join(this.#workspace, LEDGER_FOLDER));
      return handle;
    }
    await handle.close();
    throw new LedgerError("LEDGER_IO", `${this.path} is no file: expected the ledger. Move it away.`);
  }

  /** Read what was appended since the last time; all of it if the file was replaced. */
  async #refresh(handle: FileHandle): Promise<ReadPart> {
    const { ino: inode, size } = await handle.stat();
    const known = this.#read;
    const continues = known?.inode === inode && known.bytes <= size && (await endsWith(handle, known));
    const start: ReadPart = continues
      ? known
      : { inode, bytes: 0, last: Buffer.alloc(0), heads: new Map<string, Head>() };
    const chunk = await readAt(handle, start.bytes, size - start.bytes);
    const splitter = new LineSplitter();
    let { bytes, last } = start;
    for (const line of splitter.push(chunk)) {
      bytes += line.length;
      last = line.bytes;
      const decoded = decodeLedgerLine(line.bytes);
      if (decoded.whole) addHead(start.heads, decoded.line);
    }
    const open = splitter.end();
    if (open !== undefined) {
      const decoded = decodeLedgerLine(open.bytes);
      if (decoded.whole) {
        await handle.appendFile("\n");
        bytes += open.length + 1;
        last = open.bytes;
        addHead(start.heads, decoded.line);
      } else {
        await backUpTail(this.path, handle, bytes, size);
        await handle.truncate(bytes);
      }
      await handle.datasync();
    }
    this.#read = { inode, bytes, last: Buffer.from(last), heads: start.heads };
    return this.#read;
  }

  async #append(handle: FileHandle, task: string, entries: readonly LedgerEntry[]): Promise<void> {
    const read = this.#read;
    if (entries.length === 0 || read === undefined) return;
    let previous = read.heads.get(task)?.hash ?? null;
    const lines = entries.map((entry) => {
      const line = encodeEntry(entry, previous);
      previous = line.hash;
      return { entry, ...line };
    });
    const bytes = Buffer.from(lines.map(({ text }) => `${text}\n`).join(""));
    // Until it is durable, nothing of the file is known.
    this.#read = undefined;
    await handle.appendFile(bytes);
    await handle.datasync();
    for (const { entry, hash } of lines) addHead(read.heads, { ...entry, hash });
    const last = Buffer.from(lines.at(-1)?.text ?? "");
    this.#read = { ...read, bytes: read.bytes + bytes.length, last };
  }
}

type HeadLine = LedgerPosition & { readonly task: string; readonly hash: string };

function addHead(heads: Map<string, Head>, { task, hash, sequence, part }: HeadLine): void {
  const before = heads.get(task)?.newest;
  const newest = { sequence, part };
  heads.set(task, {
    hash,
    newest: before !== undefined && comparePositions(before, newest) > 0 ? before : newest,
  });
}

/** Whether the part of the file that was read still ends with the same line. */
async function endsWith(handle: FileHandle, { bytes, last }: ReadPart): Promise<boolean> {
  if (bytes === 0) return true;
  return (await readAt(handle, bytes - last.length - 1, last.length)).equals(last);
}

async function readAt(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await handle.read(bytes, at, length - at, start + at);
    if (bytesRead === 0) return bytes.subarray(0, at);
    at += bytesRead;
  }
  return bytes;
}
