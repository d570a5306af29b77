import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import path from "node:path";
import { LOCK } from "../files/index.ts";
import { type JournalHead, parseHead } from "./head.ts";
import { isEnough, type JournalEnd, parseEnd } from "./tail.ts";
import { JOURNAL, TITLE } from "./task-folder.ts";

/** What a look at a task's folder and the two ends of its journal tells. */
export interface JournalEnds {
  /** Whether there is a lock, which may be that of a process that has ended. */
  readonly isLocked: boolean;
  readonly isNamed: boolean;
  /** Size of the journal. */
  readonly bytes: number;
  readonly head: JournalHead;
  /** Undefined where the head tells nothing, or the task is of another workspace. */
  readonly end?: JournalEnd;
}

/** How much of each end is read, of the tail at first. */
const HEAD_BYTES = 4 * 1024;
const TAIL_BYTES = 8 * 1024;
/** By how much more is read where that doesn't tell enough. */
const GROWTH = 8;

/**
 * Looks at a task, of one workspace if given. Waits for the disk: a read that is handed to another thread costs three
 * times as much, and a list makes seven for each task.
 *
 * @throws the system's errors: ENOENT where there is no task
 */
export function readJournalEnds(folder: string, workspace?: string): JournalEnds {
  const file = openSync(path.join(folder, JOURNAL), "r");
  try {
    const isLocked = existsSync(path.join(folder, LOCK));
    const isNamed = existsSync(path.join(folder, TITLE));
    const bytes = fstatSync(file).size;
    const piece = readAt(file, 0, Math.min(bytes, HEAD_BYTES));
    const head = parseHead(piece, piece.length === bytes);
    const isWanted =
      head.header !== undefined && (workspace === undefined || head.header.workspace === workspace);
    if (!isWanted) return { isLocked, isNamed, bytes, head };
    const end = piece.length === bytes ? parseEnd(piece) : readEnd(file, bytes);
    return { isLocked, isNamed, bytes, head, end };
  } finally {
    closeSync(file);
  }
}

/** Looks at more and more of the end, until it tells enough. */
function readEnd(file: number, bytes: number): JournalEnd {
  for (let length = TAIL_BYTES; ; length *= GROWTH) {
    const from = Math.max(0, bytes - length);
    const end = parseEnd(readAt(file, from, bytes - from));
    if (from === 0 || isEnough(end)) return end;
  }
}

function readAt(file: number, from: number, length: number): Buffer {
  const piece = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(file, piece, filled, length - filled, from + filled);
    if (count === 0) break;
    filled += count;
  }
  return piece.subarray(0, filled);
}
