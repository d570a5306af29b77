import { closeSync, fstatSync, openSync, readSync, type Stats } from "node:fs";
import path from "node:path";
import { type JournalHead, parseHead } from "./head.ts";
import { isComplete, type JournalEnd, parseEnd } from "./tail.ts";
import { JOURNAL } from "./task-folder.ts";

/** Both ends of a journal; without its tail if the header is invalid. */
export type JournalEnds = { readonly stats: Stats } & (
  | (ValidHead & { readonly end: JournalEnd })
  | Exclude<JournalHead, ValidHead>
);
type ValidHead = Extract<JournalHead, { readonly prompt: string }>;

/** Initial number of bytes to read from each end. */
const HEAD_BYTES = 4 * 1024;
const TAIL_BYTES = 8 * 1024;
/** Factor by which each further read of the tail grows. */
const GROWTH = 8;

/**
 * Read both ends of a task's journal. Synchronous: asynchronous reads cost three times as much.
 *
 * @throws system errors: ENOENT if there is no task
 */
export function readJournalEnds(folder: string): JournalEnds {
  const file = openSync(path.join(folder, JOURNAL), "r");
  try {
    const stats = fstatSync(file);
    const chunk = readAt(file, 0, Math.min(stats.size, HEAD_BYTES));
    const isWhole = chunk.length === stats.size;
    const head = parseHead(chunk, isWhole);
    if (head.header === undefined) return { stats, ...head };
    return { stats, ...head, end: isWhole ? parseEnd(chunk) : readEnd(file, stats.size) };
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
