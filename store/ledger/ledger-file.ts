import { ledgerPath } from "../files/ledger-path.ts";
import { LineSplitter } from "../journal/line-splitter.ts";
import { comparePositions, type LedgerEntry, type LedgerPosition } from "./entry.ts";
import { fileStorage, type LedgerStorage, type LockedBytes } from "./ledger-storage.ts";
import { decodeLedgerLine, encodeEntry } from "./line.ts";
import type { LockOptions } from "./lock.ts";

/** The end of a task's chain of lines. */
interface Head {
  /** The hash of its last line in the file. */
  readonly hash: string;
  /** The position of its newest line. */
  readonly newest: LedgerPosition;
}

/** The ledger while it is locked. */
export interface LockedLedger {
  /** The newest line of a task; undefined if it has none. */
  newest(task: string): LedgerPosition | undefined;
  /** Append entries, each to the chain of its task; durable when it resolves. */
  append(entries: readonly LedgerEntry[]): Promise<void>;
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
  readonly #storage: LedgerStorage;
  #read: ReadPart | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /** @param storage default: the file in the workspace */
  constructor(workspace: string, options: LockOptions, storage = fileStorage(workspace, options)) {
    this.path = ledgerPath(workspace);
    this.#storage = storage;
  }

  /** Whether the workspace has a folder for it. */
  isOn(): Promise<boolean> {
    return this.#storage.isOn();
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

  #update<T>(work: (ledger: LockedLedger) => Promise<T>): Promise<T> {
    return this.#storage.withLocked(async (bytes) => {
      const { heads } = await this.#refresh(bytes);
      return await work({
        newest: (task) => heads.get(task)?.newest,
        append: (entries) => this.#append(bytes, entries),
      });
    });
  }

  /** Read what was appended since the last time; all of it if the file was replaced. */
  async #refresh(stored: LockedBytes): Promise<ReadPart> {
    const { inode, size } = await stored.stat();
    const known = this.#read;
    const continues = known?.inode === inode && known.bytes <= size && (await endsWith(stored, known));
    const start: ReadPart = continues
      ? known
      : { inode, bytes: 0, last: Buffer.alloc(0), heads: new Map<string, Head>() };
    const chunk = await stored.read(start.bytes, size - start.bytes);
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
        await stored.append(Buffer.from("\n"));
        bytes += open.length + 1;
        last = open.bytes;
        addHead(start.heads, decoded.line);
      } else {
        await stored.cutOff(bytes);
      }
      await stored.sync();
    }
    this.#read = { inode, bytes, last: Buffer.from(last), heads: start.heads };
    return this.#read;
  }

  async #append(stored: LockedBytes, entries: readonly LedgerEntry[]): Promise<void> {
    const read = this.#read;
    if (entries.length === 0 || read === undefined) return;
    const hashes = new Map<string, string>();
    const lines = entries.map((entry) => {
      const { task } = entry;
      const line = encodeEntry(entry, hashes.get(task) ?? read.heads.get(task)?.hash ?? null);
      hashes.set(task, line.hash);
      return { entry, ...line };
    });
    const bytes = Buffer.from(lines.map(({ text }) => `${text}\n`).join(""));
    // Until it is durable, nothing of the file is known.
    this.#read = undefined;
    await stored.append(bytes);
    await stored.sync();
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
async function endsWith(stored: LockedBytes, { bytes, last }: ReadPart): Promise<boolean> {
  if (bytes === 0) return true;
  return Buffer.compare(await stored.read(bytes - last.length - 1, last.length), last) === 0;
}
