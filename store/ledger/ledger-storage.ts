import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { isLedgerOn, ledgerFolder, ledgerPath } from "../files/ledger-path.ts";
import { syncFolders } from "../files/sync-folders.ts";
import { backUpTail } from "../journal/backup.ts";
import { LedgerError, toLedgerError } from "./error.ts";
import { type LockOptions, withLock } from "./lock.ts";

const LOCK_FILE = "agent_trace.lock";
const FILE_MODE = 0o644;

/** Whether a workspace has a folder for its ledger. @throws LedgerError `LEDGER_IO` */
export async function hasLedgerFolder(workspace: string): Promise<boolean> {
  try {
    return await isLedgerOn(workspace);
  } catch (error) {
    throw toLedgerError(workspace, error);
  }
}

/** The bytes of a ledger while it is locked. */
export interface LockedBytes {
  /** The identity of the file, and its size. */
  stat(): Promise<{ readonly inode: number; readonly size: number }>;
  read(start: number, length: number): Promise<Uint8Array>;
  append(bytes: Uint8Array): Promise<void>;
  /** Cut the end off from `start`, and keep it beside the file. */
  cutOff(start: number): Promise<void>;
  /** Resolves when all changes are on disk. */
  sync(): Promise<void>;
}

/** Where a ledger is stored. Processes share it. */
export interface LedgerStorage {
  /** Whether the workspace has a folder for it. */
  isOn(): Promise<boolean>;
  /** Do `work` under its lock, which one process has at a time. @throws LedgerError `LEDGER_LOCKED`, `LEDGER_IO` */
  withLocked<T>(work: (bytes: LockedBytes) => Promise<T>): Promise<T>;
}

/** The ledger file of a workspace. */
export function fileStorage(workspace: string, options: LockOptions): LedgerStorage {
  const path = ledgerPath(workspace);
  return {
    isOn: () => hasLedgerFolder(workspace),
    withLocked: async (work) => {
      try {
        return await withLock(join(ledgerFolder(workspace), LOCK_FILE), options, async () => {
          await using handle = await openLedger(workspace, path);
          return await work(bytesOf(path, handle));
        });
      } catch (error) {
        throw toLedgerError(path, error);
      }
    },
  };
}

async function openLedger(workspace: string, path: string): Promise<FileHandle> {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  const handle = await open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, FILE_MODE);
  const stat = await handle.stat();
  if (stat.isFile()) {
    if (stat.size === 0) await syncFolders(ledgerFolder(workspace));
    return handle;
  }
  await handle.close();
  throw new LedgerError("LEDGER_IO", `${path} is no file: expected the ledger. Move it away.`);
}

const bytesOf = (path: string, handle: FileHandle): LockedBytes => ({
  stat: async () => {
    const { ino, size } = await handle.stat();
    return { inode: ino, size };
  },
  read: (start, length) => readAt(handle, start, length),
  append: (bytes) => handle.appendFile(bytes),
  cutOff: async (start) => {
    const { size } = await handle.stat();
    await backUpTail(path, handle, start, size);
    await handle.truncate(start);
  },
  sync: () => handle.datasync(),
});

async function readAt(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await handle.read(bytes, at, length - at, start + at);
    if (bytesRead === 0) return bytes.subarray(0, at);
    at += bytesRead;
  }
  return bytes;
}
