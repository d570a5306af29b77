import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import path from "node:path";
import { LOCK } from "../files/index.ts";
import { type JournalHead, parseHead } from "./head.ts";
import { isComplete, type JournalEnd, parseEnd } from "./tail.ts";
import { JOURNAL, TITLE } from "./task-folder.ts";

/** The files of a task's folder and both ends of its journal. */
export interface JournalEnds {
  /** Whether there is a lock; its process may have ended. */
  readonly isLocked: boolean;
  readonly isNamed: boolean;
  /** Size of the journal, in bytes. */
  readonly bytes: number;
  readonly head: JournalHead;
  /** Undefined if the header is invalid or the task belongs to another workspace. */
  readonly end?: JournalEnd;
}

/** Initial number of bytes to read from each end. */
const HEAD_BYTES = 4 * 1024;
const TAIL_BYTES = 8 * 1024;
/** Factor by which each further read of the tail grows. */
const GROWTH = 8;

/**
 * Read both ends of a task's journal, of one workspace if given. Synchronous: asynchronous reads cost three times as
 * much, and a list makes seven per task.
 *
 * @throws system errors: ENOENT if there is no task
 */
export function readJournalEnds(folder: string, workspace?: string): JournalEnds {
  const file = openSync(path.join(folder, JOURNAL), "r");
  try {
    const isLocked = existsSync(path.join(folder, LOCK));
    const isNamed = existsSync(path.join(folder, TITLE));
    const bytes = fstatSync(file).size;
    const chunk = readAt(file, 0, Math.min(bytes, HEAD_BYTES));
    const head = parseHead(chunk, chunk.length === bytes);
    const isWanted =
      head.header !== undefined && (workspace === undefined || head.header.workspace === workspace);
    if (!isWanted) return { isLocked, isNamed, bytes, head };
    const end = chunk.length === bytes ? parseEnd(chunk) : readEnd(file, bytes);
    return { isLocked, isNamed, bytes, head, end };
  } finally {
    closeSync(file);
  }
}

/** Read the tail in growing chunks until it is complete. */
function readEnd(file: number, bytes: number): JournalEnd {
  for (let length = TAIL_BYTES; ; length *= GROWTH) {
    const from = Math.max(0, bytes - length);
    const end = parseEnd(readAt(file, from, bytes - from));
    if (from === 0 || isComplete(end)) return end;
  }
}

function readAt(file: number, from: number, length: number): Buffer {
  const chunk = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(file, chunk, filled, length - filled, from + filled);
    if (count === 0) break;
    filled += count;
  }
  return chunk.subarray(0, filled);
}
