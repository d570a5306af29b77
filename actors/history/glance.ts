import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import path from "node:path";
import { headOf, type JournalHead } from "./head.ts";
import { JOURNAL } from "./places.ts";
import { endOf, isEnough, type JournalEnd } from "./tail.ts";

/** What a look at a task's folder and the two ends of its journal tells. */
export interface Glance {
  /** The files beside the journal. */
  readonly names: readonly string[];
  /** Size of the journal. */
  readonly bytes: number;
  readonly head: JournalHead;
  /** Undefined where the head tells nothing, or the task is of another workspace. */
  readonly end?: JournalEnd;
}

/** How much of each end is read at first. */
const PIECE_BYTES = 16 * 1024;
/** By how much more is read where that doesn't tell enough. */
const GROWTH = 8;

/**
 * Looks at a task, of one workspace if given; undefined where there is none. Waits for the disk: a read that is handed
 * to another thread costs three times as much, and a list makes five for each task.
 *
 * @throws the system's errors
 */
export function glance(folder: string, workspace?: string): Glance | undefined {
  const names = readdirSync(folder);
  if (!names.includes(JOURNAL)) return undefined;
  const file = openSync(path.join(folder, JOURNAL), "r");
  try {
    const bytes = fstatSync(file).size;
    const piece = readAt(file, 0, Math.min(bytes, PIECE_BYTES));
    const head = headOf(piece, piece.length === bytes);
    const isWanted =
      head.header !== undefined && (workspace === undefined || head.header.workspace === workspace);
    if (!isWanted) return { names, bytes, head };
    const end = piece.length === bytes ? endOf(piece) : readEnd(file, bytes);
    return { names, bytes, head, end };
  } finally {
    closeSync(file);
  }
}

/** Looks at more and more of the end, until it tells enough. */
function readEnd(file: number, bytes: number): JournalEnd {
  for (let length = PIECE_BYTES; ; length *= GROWTH) {
    const from = Math.max(0, bytes - length);
    const end = endOf(readAt(file, from, bytes - from));
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
